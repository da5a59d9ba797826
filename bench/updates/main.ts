/**
 * What an update costs: from the announcement of a release to pull requests in one, a hundred and a thousand repositories, the
 * daily look at ten thousand, and the interface with as many. Prints one table: node dist/bench/updates/main.js
 * [--rounds 20] [--repositories 1000] [--many 10000] [--settle 35] [--only release|crowd|many]
 */
import { setInterval } from "node:timers";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { processorTimes, residentMemory } from "../support/daemon.js";
import { median, print, quantile, type Row } from "../support/table.js";
import { filled, swept } from "./many.js";
import { configure, copies, quiet, release, seed, type World, world } from "./world.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "20" },
    repositories: { type: "string", default: "1000" },
    many: { type: "string", default: "10000" },
    idle: { type: "string", default: "35" },
    only: { type: "string", default: "" },
  },
});
const ROUNDS = Number(values.rounds);
const CROWD = Number(values.repositories);
const MANY = Number(values.many);
/** Configs that are made at the same time. */
const AT_ONCE = 16;
/** Dependencies of each of the many. */
const DEPENDENCIES = 60;
const isWanted = (part: string): boolean => part.includes(values.only);

const rows: Row[] = [];
const note = (what: string, result: string, bar: string): void => {
  rows.push({ what, result, bar });
  process.stderr.write(`${what}: ${result}\n`);
};
const ms = (value: number): string => `${value.toFixed(value < 10 ? 1 : 0)} ms`;
const mib = (value: number): string => `${value.toFixed(0)} MiB`;

const at = await world();
try {
  await seed(at, "first");
  const config = await configure(at, "first");
  await quiet(at);
  // A worker for lock files that has nothing to do ends after half a minute.
  await sleep(Number(values.idle) * 1000);
  note("memory of the daemon, idle", mib(residentMemory(at.daemon.pid)), "≤ 110 MB");
  const most = watchMemory(at);
  if (isWanted("release")) await single(at);
  if (isWanted("crowd")) {
    await crowd(at, Math.min(CROWD, 100), "2.0.0", "≤ 5 s");
    if (CROWD > 100) await crowd(at, CROWD, "3.0.0", "≤ 45 s");
  }
  if (isWanted("many")) {
    await listing(at, config.id);
    await sweep(at, config.id);
  }
  note("memory of the daemon, busy, at most", mib(most()), "≤ 300 MB");
} finally {
  await at[Symbol.asyncDispose]();
}
print(
  rows,
  `Registry, git and npm's lock files are real, all on the same machine; ${ROUNDS} rounds.`,
);

async function single(world: World): Promise<void> {
  const took: number[] = [];
  for (let round = 1; round <= ROUNDS; round += 1) {
    took.push(...(await release(world, `1.${round}.0`, ["first"])));
    await quiet(world);
  }
  const bar = "p50 ≤ 300 ms, p95 ≤ 500 ms";
  const result = `p50 ${ms(median(took))}, p95 ${ms(quantile(took, 0.95))}`;
  note("announcement → first pull request, lock file of 466 packages", result, bar);
}

async function crowd(world: World, size: number, version: string, bar: string): Promise<void> {
  const names = Array.from({ length: size - 1 }, (_, index) => `r-${index}`);
  const known = await world.control<{ repos: readonly { name: string; configs: number }[] }>(
    "GET",
    "/repos",
  );
  const there = new Set(known.repos.map(({ name }) => name));
  const fresh = names.filter((name) => !there.has(`acme/${name}`));
  copies(world, fresh);
  for (let at = 0; at < fresh.length; at += AT_ONCE) {
    await Promise.all(fresh.slice(at, at + AT_ONCE).map((name) => configure(world, name)));
  }
  await quiet(world);
  const before = processorTimes(world.daemon.pid);
  const took = await release(world, version, ["first", ...names]);
  const seconds = (Math.max(...took) / 1000).toFixed(1);
  await quiet(world);
  note(`announcement → pull requests in ${size} repositories`, `${seconds} s`, bar);
  const { main, others, commands } = processorTimes(world.daemon.pid);
  const each = (now: number, then: number): string => `${((now - then) / size).toFixed(1)} ms`;
  note(
    "of it, processor time per repository",
    `main thread ${each(main, before.main)}, other threads ${each(others, before.others)}, git ${each(commands, before.commands)}`,
    "–",
  );
}

/** Gives the highest value seen until it is asked. */
function watchMemory(world: World): () => number {
  let most = 0;
  const timer = setInterval(() => {
    most = Math.max(most, residentMemory(world.daemon.pid));
  }, 100);
  return () => {
    clearInterval(timer);
    return most;
  };
}

async function sweep(world: World, config: string): Promise<void> {
  for (const when of ["the first", "the next"]) {
    const took = await swept(world, config, MANY, DEPENDENCIES);
    const what = `sweep of ${MANY} repositories, ${DEPENDENCIES} dependencies each, ${when}`;
    note(what, `${(took / 1000).toFixed(1)} s, no git reads`, "≤ 2 min, no git reads");
  }
}

async function listing(world: World, id: string): Promise<void> {
  await world.control("POST", "/accounts", { login: "many" });
  const { token } = await world.control<{ token: string }>("POST", "/tokens", { login: "many" });
  const hostId = await filled(world, MANY);
  const headers = { authorization: `Personal ${token}`, "content-type": "application/json" };
  const query = `account-id=${hostId}&account-type=org&installation-state=active`;
  const took: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    const answer = await fetch(`${world.url}/repos?${query}`, { headers });
    const { data } = (await answer.json()) as { data: readonly unknown[] };
    took.push(performance.now() - started);
    if (data.length !== MANY) throw new Error(`${data.length} repositories were listed`);
  }
  note(`GET /repos, ${MANY} active ones`, `p50 ${ms(median(took))}`, "≤ 300 ms");

  const changes: number[] = [];
  for (let round = 0; round < 200; round += 1) {
    const started = performance.now();
    const schedule = round % 2 === 0 ? "daily" : "weekly";
    const answer = await world.send("PATCH", `/update_configs/${id}`, {
      "update-schedule": schedule,
    });
    await answer.text();
    changes.push(performance.now() - started);
  }
  note(
    "PATCH /update_configs/:id",
    `p50 ${ms(median(changes))}, p99 ${ms(quantile(changes, 0.99))}`,
    "p99 ≤ 10 ms",
  );
}
