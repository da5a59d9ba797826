/** One version of a 466-package package-lock.json: in a worker thread that is warm, in a new one, and by npm. */
import { spawnSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ProjectSources, Tools } from "../../plugins/updates/managers/contract.js";
import { managerOf } from "../../plugins/updates/managers/index.js";
import { createLockWorkers } from "../../plugins/updates/managers/lock/pool.js";
import { createLookup } from "../../plugins/updates/registries/lookup.js";
import { median, quantile, type Row } from "../support/table.js";

const ROUNDS = 15;
const manager = await managerOf("npm_and_yarn");

function npm(cwd: string, url: string): void {
  const { status, stderr } = spawnSync(
    "npm",
    [
      "install",
      "--package-lock-only",
      "--ignore-scripts",
      "--no-audit",
      "--no-fund",
      `--registry=${url}`,
      `--cache=${join(cwd, "npm-cache")}`,
    ],
    { cwd, encoding: "utf8" },
  );
  if (status !== 0) throw new Error(stderr);
}

function sourcesIn(directory: string): ProjectSources {
  const names = ["package.json", "package-lock.json"];
  return {
    directory: "/",
    tree: names.map((path) => ({ path, kind: "file" as const, oid: "" })),
    files: new Map(names.map((name) => [name, readFileSync(join(directory, name), "utf8")])),
  };
}

/** A project whose 100 dependencies, at their first version, bring 366 more. */
function project(directory: string, url: string): ProjectSources {
  const names = Array.from({ length: 100 }, (_, index) => `package-${index}`);
  const dependencies = Object.fromEntries(names.map((name) => [name, "1.0.0"]));
  const manifest = { name: "app", version: "1.0.0", dependencies };
  writeFileSync(join(directory, "package.json"), `${JSON.stringify(manifest, null, 2)}\n`);
  npm(directory, url);
  return sourcesIn(directory);
}

export async function lockRows(directory: string, url: string): Promise<readonly Row[]> {
  const scratch = join(directory, "locks");
  mkdirSync(scratch);
  const sources = project(scratch, url);
  const settings = { registries: [{ manager: "npm_and_yarn" as const, url }] };
  const { dependencies } = manager.parse(sources, settings);
  const packages =
    Object.keys(
      (JSON.parse(sources.files.get("package-lock.json") ?? "{}") as { packages: object }).packages,
    ).length - 1;
  const bump = async (tools: Tools, index: number): Promise<number> => {
    const dependency = dependencies.find(({ name }) => name === `package-${index}`);
    if (!dependency) throw new Error("the dependency is gone");
    const started = performance.now();
    const to = { version: "1.7.0" };
    const edit = await manager.update(
      { sources, settings, changes: [{ dependency, to, requirements: ["1.7.0"] }] },
      tools,
    );
    if (edit.lock.kind !== "refreshed") throw new Error("the lock was not refreshed");
    return performance.now() - started;
  };
  const tools = (): Tools => ({
    lookup: createLookup({ clock: { now: Date.now, sleep: async () => undefined } }),
    run: () => Promise.reject(new Error("nothing is run")),
    workers: createLockWorkers({ size: 1 }),
    credentials: [],
    scratch: scratch,
  });
  const cold: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const fresh = tools();
    cold.push(await bump(fresh, round));
    await fresh.workers.close();
  }
  const kept = tools();
  await bump(kept, 0);
  const warm: number[] = [];
  for (let round = 0; round < ROUNDS; round += 1) warm.push(await bump(kept, round));
  await kept.workers.close();

  const byNpm: number[] = [];
  for (let round = 0; round < 3; round += 1) {
    const own = join(directory, `npm-${round}`);
    mkdirSync(own);
    for (const [name, text] of sources.files)
      writeFileSync(
        join(own, name),
        name === "package.json"
          ? text.replace('"package-5": "1.0.0"', '"package-5": "1.7.0"')
          : text,
      );
    const started = performance.now();
    npm(own, url);
    byNpm.push(performance.now() - started);
    rmSync(own, { recursive: true });
  }
  return [
    {
      what: `lock bump, ${packages} packages`,
      result: `p50 ${median(warm).toFixed(0)} ms, p95 ${quantile(warm, 0.95).toFixed(0)} ms (new worker ${median(cold).toFixed(0)} ms, npm ${median(byNpm).toFixed(0)} ms)`,
      bar: "≤ 130 ms",
    },
  ];
}
