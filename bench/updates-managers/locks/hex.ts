/** One of 50 packages moves in a mix.lock: in process, and by Hex, which has all others there already. */
import { managerOf } from "../../../plugins/updates/managers/index.js";
import { hexRegistry } from "../../../plugins/updates/testing/hex-registry.js";
import { mixDirectory } from "../../../plugins/updates/testing/real-mix.js";
import { median } from "../../support/table.js";
import { hex } from "../manifests/hex.js";
import type { LockRace } from "../race.js";
import { names } from "../specimen.js";
import { timedUpdate } from "./timed.js";

const ROUNDS = 5;
const COUNT = 50;

export const hexRace: LockRace = {
  manager: "hex",
  program: "mix",
  run: async () => {
    await using registry = await hexRegistry();
    for (const name of names(COUNT)) registry.publish(name.replace("-", "_"), "1.0.0");
    const manifests = hex.files(COUNT);
    await using directory = await mixDirectory(registry.url, manifests);
    await directory.mix("deps.get");
    let project: Readonly<Record<string, string>> = {
      ...manifests,
      "mix.lock": await directory.read("mix.lock"),
    };
    const settings = { registries: [{ manager: "hex" as const, url: registry.url }] };
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const to = `1.0.${round}`;
      registry.publish("package_8", to);
      const update = { manager: await managerOf("hex"), project, name: "package_8", to, settings };
      const { milliseconds, files } = await timedUpdate(update);
      ours.push(milliseconds);
      project = { ...project, ...Object.fromEntries(files) };
      await directory.write({ "mix.exs": project["mix.exs"] ?? "" });
      const started = performance.now();
      await directory.mix("deps.update", "package_8");
      theirs.push(performance.now() - started);
      if ((await directory.read("mix.lock")) !== project["mix.lock"])
        throw new Error("Hex wrote another lock.");
    }
    return { ours: median(ours), theirs: median(theirs), moved: `one of ${COUNT} packages` };
  },
};
