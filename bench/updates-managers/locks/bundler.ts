/** One of 200 gems moves in a Gemfile.lock: in process, and by Bundler with the same server. */
import { managerOf } from "../../../plugins/updates/managers/index.js";
import { bundle, gemServer } from "../../../plugins/updates/testing/gem-server.js";
import { median } from "../../support/table.js";
import { gemfile } from "../manifests/bundler.js";
import type { LockRace } from "../race.js";
import { names } from "../specimen.js";
import { timedUpdate } from "./timed.js";

const ROUNDS = 5;

export const bundlerRace: LockRace = {
  manager: "bundler",
  program: "bundle",
  run: async () => {
    await using server = await gemServer();
    for (const name of names(200)) server.publish(name, "1.0.0");
    const project = await bundle({ Gemfile: gemfile(200, server.url) }, ["lock"]);
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (let round = 1; round <= ROUNDS; round += 1) {
      const to = `1.0.${round}`;
      server.publish("package-7", to);
      const update = { manager: await managerOf("bundler"), project, name: "package-7", to };
      const { milliseconds, files } = await timedUpdate(update);
      ours.push(milliseconds);
      const started = performance.now();
      await bundle({ ...project, Gemfile: files.get("Gemfile") ?? "" }, [
        ...["lock", "--conservative", "--update", "package-7"],
      ]);
      theirs.push(performance.now() - started);
    }
    return { ours: median(ours), theirs: median(theirs), moved: "one of 200 gems" };
  },
};
