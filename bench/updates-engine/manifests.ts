/** What an update costs without network and lock file: parse, decide, edit. */

import { propose } from "../../plugins/updates/decide/propose.js";
import { managerOf } from "../../plugins/updates/managers/index.js";
import type { Lookup } from "../../plugins/updates/registries/contract.js";
import { median, type Row } from "../support/table.js";

const ROUNDS = 200;

export async function manifestRows(): Promise<readonly Row[]> {
  const manager = await managerOf("npm_and_yarn");
  const names = Array.from({ length: 100 }, (_, index) => `package-${index}`);
  const text = JSON.stringify(
    { name: "app", dependencies: Object.fromEntries(names.map((name) => [name, "^1.0.0"])) },
    null,
    2,
  );
  const sources = {
    directory: "/",
    tree: [{ path: "package.json", kind: "file" as const, oid: "" }],
    files: new Map([["package.json", text]]),
  };
  const settings = { registries: [] };
  const releases = Array.from({ length: 40 }, (_, minor) => ({ version: `1.${minor}.0` }));
  const lookup: Lookup = {
    fetch: async () => ({ releases }) as never,
    references: async () => [],
    fresh: () => lookup,
  };
  const tools = {
    lookup,
    run: () => Promise.reject(new Error("nothing is run")),
    scratch: "/nonexistent",
    credentials: [],
  };
  const workers = {
    refresh: () => Promise.reject(new Error("there is no lock")),
    fetchTool: () => Promise.reject(new Error("there is no lock")),
    close: async () => undefined,
  };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const started = performance.now();
    const { dependencies, runtime } = manager.parse(sources, settings);
    const [dependency] = dependencies;
    if (!dependency) throw new Error("nothing was found");
    const decision = await propose({
      manager,
      dependency,
      runtime,
      library: false,
      advisories: [],
      policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
      lookup,
      now: 0,
    });
    if (decision.kind !== "update") throw new Error(decision.why);
    await manager.update({ sources, settings, changes: [decision.change] }, { ...tools, workers });
    times.push(performance.now() - started);
  }
  return [
    {
      what: "parse 100 dependencies, decide one, edit",
      result: `${median(times).toFixed(2)} ms`,
      bar: "–",
    },
  ];
}
