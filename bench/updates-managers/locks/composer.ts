/** One of 200 packages moves in a composer.lock: in process, and by Composer with the same repository. */
import { managerOf } from "../../../plugins/updates/managers/index.js";
import {
  composer,
  composerProject,
  composerRepository,
} from "../../../plugins/updates/testing/composer-repository.js";
import { median } from "../../support/table.js";
import type { LockRace } from "../race.js";
import { names } from "../specimen.js";
import { timedUpdate } from "./timed.js";

const ROUNDS = 5;
const LOCKING = ["--no-install", "--no-scripts", "--no-plugins", "--no-progress", "--no-audit"];

export const composerRace: LockRace = {
  manager: "composer",
  program: "composer",
  run: async () => {
    await using at = await composerRepository();
    const packages = names(200).map((name) => `acme/${name}`);
    for (const name of packages) at.publish(name, "1.0.0");
    const require = Object.fromEntries(packages.map((name) => [name, "~1.0.0"]));
    const start = { "composer.json": composerProject(at, require) };
    const project = await composer(start, ["update", ...LOCKING]);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const to = `1.0.${round}`;
      const name = "acme/package-7";
      at.publish(name, to);
      const { milliseconds, files } = await timedUpdate({
        ...{ manager: await managerOf("composer"), project, name, to },
      });
      ours.push(milliseconds);
      const edited = files.get("composer.json") ?? "";
      const started = performance.now();
      await composer({ ...project, "composer.json": edited }, ["update", name, ...LOCKING]);
      theirs.push(performance.now() - started);
    }
    return { ours: median(ours), theirs: median(theirs), moved: "one of 200 packages" };
  },
};
