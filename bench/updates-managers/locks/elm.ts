/** One of 60 packages that an application names moves, with what it brings along: in process, and by Elm from the same site. */
import { managerOf } from "../../../plugins/updates/managers/index.js";
import { elmSite } from "../../../plugins/updates/testing/elm-site.js";
import { elmTool } from "../../../plugins/updates/testing/elm-tool.js";
import { median } from "../../support/table.js";
import type { LockRace } from "../race.js";
import { names } from "../specimen.js";
import { timedUpdate } from "./timed.js";

const ROUNDS = 5;
const MOVED = "acme/package-7";

export const elmRace: LockRace = {
  manager: "elm",
  program: "elm",
  run: async () => {
    await using site = await elmSite();
    const core = { "elm/core": "1.0.0 <= v < 2.0.0" };
    site.publish("elm/core", "1.0.0");
    const all = names(60).map((name) => `acme/${name}`);
    for (const name of ["elm/json", ...all]) site.publish(name, "1.0.0", core);
    await using tool = await elmTool(site);
    const manifest = (direct: readonly string[]): string =>
      JSON.stringify({
        ...{ type: "application", "source-directories": ["src"], "elm-version": "0.19.1" },
        dependencies: {
          direct: Object.fromEntries(["elm/core", ...direct].map((name) => [name, "1.0.0"])),
          indirect: { "elm/json": "1.0.0" },
        },
        "test-dependencies": { direct: {}, indirect: {} },
      });
    const others = manifest(all.filter((name) => name !== MOVED));
    const move = () => tool.run({ "elm.json": others, "src/.keep": "" }, "install", MOVED);
    // Everything else is fetched and compiled before.
    await move();
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (const [index] of names(ROUNDS).entries()) {
      const version = `1.0.${index + 1}`;
      site.publish(MOVED, version, core);
      site.listed.set(MOVED, [version]);
      const { milliseconds } = await timedUpdate({
        manager: await managerOf("elm"),
        project: { "elm.json": manifest(all) },
        name: MOVED,
        to: version,
        settings: { registries: [{ manager: "elm", url: site.url }] },
      });
      ours.push(milliseconds);
      const toolStart = performance.now();
      const { ok, said } = await move();
      theirs.push(performance.now() - toolStart);
      if (!ok) throw new Error(said);
    }
    return { ours: median(ours), theirs: median(theirs), moved: "one of 60 packages" };
  },
};
