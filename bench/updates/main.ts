/**
 * What an update costs: from the announcement of a release to pull requests in one, a hundred and a thousand repositories, and
 * the interface with many of them. Prints one table: node dist/bench/updates/main.js
 */
import { setInterval } from "node:timers";
import { residentMemory } from "../support/daemon.js";
import { median, print, quantile, type Row } from "../support/table.js";
import { configure, copies, quiet, release, seed, type World, world } from "./world.js";

const ROUNDS = 20;
const CROWD = Number(process.env.REPOSITORIES ?? 1000);
const LISTED = 10_000;

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
  await configure(at, "first");
  await quiet(at);
  note("memory of the daemon, idle", mib(residentMemory(at.daemon.pid)), "≤ 110 MB");
  await single(at);
  const most = watchMemory(at);
  await crowd(at, 100, "2.0.0", "≤ 5 s");
  if (CROWD > 100) await crowd(at, CROWD, "3.0.0", "≤ 45 s");
  note("memory of the daemon, busy, at most", mib(most()), "≤ 300 MB");
  await listing(at);
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
  copies(world, "first", fresh);
  for (const name of fresh) await configure(world, name);
  await quiet(world);
  const took = await release(world, version, ["first", ...names]);
  note(
    `announcement → pull requests in ${size} repositories`,
    `${(Math.max(...took) / 1000).toFixed(1)} s`,
    bar,
  );
  await quiet(world);
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

async function listing(world: World): Promise<void> {
  await world.control("POST", "/accounts", { login: "many" });
  const { token } = await world.control<{ token: string }>("POST", "/tokens", { login: "many" });
  const { filled } = await import("./many.js");
  const hostId = await filled(world, LISTED);
  const headers = { authorization: `Personal ${token}`, "content-type": "application/json" };
  const query = `account-id=${hostId}&account-type=org&installation-state=active`;
  const took: number[] = [];
  for (let round = 0; round < 5; round += 1) {
    const started = performance.now();
    const answer = await fetch(`${world.url}/repos?${query}`, { headers });
    const { data } = (await answer.json()) as { data: readonly unknown[] };
    took.push(performance.now() - started);
    if (data.length !== LISTED) throw new Error(`${data.length} repositories were listed`);
  }
  note(`GET /repos, ${LISTED} active ones`, `p50 ${ms(median(took))}`, "≤ 300 ms");

  const { id } = (
    (await (await world.send("GET", "/pull_requests?limit=1")).json()) as {
      data: readonly { relationships: { "update-config": { data: { id: string } } } }[];
    }
  ).data[0]?.relationships["update-config"].data ?? { id: "1" };
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
