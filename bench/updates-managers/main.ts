/**
 * What each package manager costs without network: parse 1,000 dependencies, decide on all, edit all; and lock files beside the
 * tools that are on this machine. Prints one table: node dist/bench/updates-managers/main.js [manager…]
 */
import { spawnSync } from "node:child_process";
import { managerOf, propose } from "../../plugins/updates/engine.js";
import type { Lookup } from "../../plugins/updates/registries/contract.js";
import { median, print, type Row } from "../support/table.js";
import { cargoProject } from "./cargo.js";
import type { Project } from "./contract.js";

const projects: readonly Project[] = [cargoProject];

const COUNT = 1000;
const ROUNDS = 30;

async function manifestRow(project: Project): Promise<Row> {
  const manager = managerOf(project.manager);
  const files = project.files(COUNT);
  const sources = () => ({
    directory: "/",
    tree: Object.keys(files).map((path) => ({ path, kind: "file" as const, oid: "" })),
    files: new Map(Object.entries(files)),
  });
  const settings = { registries: [] };
  const releases = Array.from({ length: 10 }, (_, minor) => ({ version: `${minor + 1}.0.0` }));
  const lookup: Lookup = {
    fetch: async () => releases as never,
    references: async () => [],
    fresh: () => lookup,
  };
  const refuse = (): Promise<never> => Promise.reject(new Error("nothing is run"));
  const tools = {
    ...{ lookup, run: refuse, scratch: "/nonexistent", credentials: [] },
    workers: { refresh: refuse, fetchTool: refuse, close: async () => undefined },
  };
  const known = { ...manager, available: async () => ({ releases }) };
  const times: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) {
    const read = sources();
    const started = performance.now();
    const { dependencies, runtime } = manager.parse(read, settings);
    const changes = [];
    for (const dependency of dependencies) {
      const decision = await propose({
        ...{ manager: known, dependency, runtime, library: false, advisories: [], lookup, now: 0 },
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
      });
      if (decision.kind !== "update") throw new Error(decision.why);
      changes.push(decision.change);
    }
    await manager.update({ sources: read, settings, changes }, tools);
    times.push(performance.now() - started);
    if (changes.length !== COUNT) throw new Error(`${changes.length} of ${COUNT} were found`);
  }
  return {
    what: `${project.manager}: parse, decide, edit ${COUNT} dependencies`,
    result: `${median(times).toFixed(1)} ms`,
    bar: "≤ 50 ms",
  };
}

async function lockRow({ manager, lock }: Project): Promise<readonly Row[]> {
  if (!lock) return [];
  const what = `${manager}: lock file`;
  const bar = "≥ 3× faster";
  if (spawnSync("sh", ["-c", `command -v ${lock.program}`]).status !== 0)
    return [{ what, result: `${lock.program} is not on this machine`, bar }];
  const race = await lock.run();
  const result = `${race.ours.toFixed(1)} ms, ${lock.program} ${race.theirs.toFixed(0)} ms: ${(race.theirs / race.ours).toFixed(0)}× (${race.what})`;
  return [{ what, result, bar }];
}

const wanted = process.argv.slice(2);
const rows: Row[] = [];
for (const project of projects) {
  if (wanted.length > 0 && !wanted.includes(project.manager)) continue;
  rows.push(await manifestRow(project), ...(await lockRow(project)));
}
print(rows, "Registries are answers from memory; tools ask registries of this machine.");
