/** One of 200 crates moves in a Cargo.lock: in process, and by Cargo, which asks the same registry. */

import { managerOf } from "../../../plugins/updates/managers/index.js";
import { createLookup } from "../../../plugins/updates/registries/lookup.js";
import { cargoRegistry } from "../../../plugins/updates/testing/cargo-registry.js";
import { median } from "../../support/table.js";
import { cargoManifest } from "../manifests/cargo.js";
import type { LockRace } from "../race.js";
import { names } from "../specimen.js";

const ROUNDS = 5;

export const cargoRace: LockRace = {
  manager: "cargo",
  program: "cargo",
  run: async () => {
    await using registry = await cargoRegistry();
    for (const name of names(200)) await registry.publish(name, "1.0.0");
    const start = { "Cargo.toml": cargoManifest(200), "src/lib.rs": "" };
    const before = await registry.cargo(start, ["generate-lockfile"]);
    const versions = names(ROUNDS).map((_, index) => `1.0.${index + 1}`);
    for (const version of versions) await registry.publish("package-7", version);
    const manager = await managerOf("cargo");
    const settings = { registries: [{ manager: "cargo" as const, url: registry.url }] };
    const refuse = (): Promise<never> => Promise.reject(new Error("nothing is run"));
    const [ours, theirs]: [number[], number[]] = [[], []];
    for (const version of versions) {
      const sources = {
        directory: "/",
        tree: Object.keys(before).map((path) => ({ path, kind: "file" as const, oid: "" })),
        files: new Map(Object.entries(before)),
      };
      const dependency = manager
        .parse(sources, settings)
        .dependencies.find(({ name }) => name === "package-7");
      if (!dependency) throw new Error("package-7 was not found");
      const change = { dependency, to: { version }, requirements: [`=${version}`] };
      const started = performance.now();
      const { lock, files } = await manager.update(
        { sources, settings, changes: [change] },
        {
          ...{ run: refuse, scratch: "/nonexistent", credentials: [] },
          lookup: createLookup({ clock: { now: Date.now, sleep: async () => undefined } }),
          workers: { refresh: refuse, fetchTool: refuse, close: async () => undefined },
        },
      );
      ours.push(performance.now() - started);
      if (lock.kind !== "refreshed") throw new Error(`the lock file is ${lock.kind}`);
      const toolStart = performance.now();
      await registry.cargo({ ...before, "Cargo.toml": files.get("Cargo.toml") ?? "" }, [
        "update",
        "--workspace",
      ]);
      theirs.push(performance.now() - toolStart);
    }
    return { ours: median(ours), theirs: median(theirs), moved: "one of 200 crates" };
  },
};
