/** Cargo: a manifest of 1,000 crates, and a lock file of 200 beside `cargo update --precise`. */
import { createLookup, managerOf } from "../../plugins/updates/engine.js";
import { cargoRegistry } from "../../plugins/updates/testing/cargo-registry.js";
import { median } from "../support/table.js";
import type { Project } from "./contract.js";

const ROUNDS = 5;
const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `crate-${index}`);

const manifest = (count: number): string =>
  `[package]\nname = "app"\nversion = "0.1.0"\n\n[dependencies]\n${names(count)
    .map((name, index) =>
      index % 2 ? `${name} = "1.0.0"\n` : `${name} = { version = "1.0.0", features = [] }\n`,
    )
    .join("")}`;

export const cargoProject: Project = {
  manager: "cargo",
  files: (count) => ({ "Cargo.toml": manifest(count) }),
  lock: {
    program: "cargo",
    run: async () => {
      await using registry = await cargoRegistry();
      for (const name of names(200)) await registry.publish(name, "1.0.0");
      const start = { "Cargo.toml": manifest(200), "src/lib.rs": "" };
      const before = await registry.cargo(start, ["generate-lockfile"]);
      const versions = names(ROUNDS).map((_, index) => `1.0.${index + 1}`);
      for (const version of versions) await registry.publish("crate-7", version);
      const manager = managerOf("cargo");
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
          .dependencies.find(({ name }) => name === "crate-7");
        if (!dependency) throw new Error("crate-7 was not found");
        const change = { dependency, to: { version }, requirements: ["1.0.0"] };
        const started = performance.now();
        const { lock } = await manager.update(
          { sources, settings, changes: [change] },
          {
            ...{ run: refuse, scratch: "/nonexistent", credentials: [] },
            lookup: createLookup({ clock: { now: Date.now, sleep: async () => undefined } }),
            workers: { refresh: refuse, fetchTool: refuse, close: async () => undefined },
          },
        );
        ours.push(performance.now() - started);
        if (lock.kind !== "refreshed") throw new Error(`the lock file is ${lock.kind}`);
        const asked = performance.now();
        await registry.cargo(before, ["update", "-p", "crate-7", "--precise", version]);
        theirs.push(performance.now() - asked);
      }
      return { ours: median(ours), theirs: median(theirs), what: "one of 200 crates" };
    },
  },
};
