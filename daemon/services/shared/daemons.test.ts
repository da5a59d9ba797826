/** Several daemons share the jobs: whatever happens to one of them, every job is done, and by one at a time. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import ava, { type ExecutionContext } from "ava";
import pg from "pg";
import { needs, postgres } from "../../../tests/support/needs.js";
import type { Queue } from "../../plugin-api/state.js";
import { CuttableLink } from "../testing/cuttable-link.js";
import { databaseFor } from "../testing/postgres.js";
import { contextOf, kitFor, temporaryDirectory, until } from "../testing/services.js";

const test = needs(ava, postgres);

const program = fileURLToPath(new URL("../testing/shared-daemon.js", import.meta.url));

interface Line {
  readonly what: string;
  readonly job: number;
  readonly pid: number;
}

function scene(t: ExecutionContext) {
  const directory = temporaryDirectory(t);
  const log = join(directory, "log");
  let count = 0;
  return {
    lines: (): readonly Line[] =>
      existsSync(log)
        ? readFileSync(log, "utf8")
            .split("\n")
            .filter((line) => line !== "")
            .map((line) => {
              const [what = "", job, pid] = line.split(" ");
              return { what, job: Number(job), pid: Number(pid) };
            })
        : [],
    /** `lease` in milliseconds. */
    async daemon(address: string, lease = 3000): Promise<ChildProcess> {
      const own = join(directory, String(++count));
      const child = spawn(process.execPath, [program, own, address, log, String(lease)], {
        stdio: ["ignore", "pipe", "inherit"],
      });
      t.teardown(async () => {
        if (child.exitCode !== null || child.signalCode !== null) return;
        child.kill("SIGKILL");
        await once(child, "exit");
      });
      await once(child.stdout as NodeJS.ReadableStream, "data");
      return child;
    },
  };
}

/** A queue that only adds. */
async function adder(t: ExecutionContext, address: string, ...more: readonly string[]) {
  const kit = await kitFor(t);
  await kit.share({ address, lease: 30_000 }, new AbortController().signal);
  const { jobs } = (await contextOf(kit)).context;
  const [first, ...others] = await Promise.all(
    ["q", ...more].map((name) => jobs.queue<number>(name, {}, async () => undefined)),
  );
  for (const queue of [first, ...others]) await queue?.close();
  return [first, ...others] as [Queue<number>, ...Queue<number>[]];
}

async function left(queue: Queue<number> | undefined): Promise<number> {
  const { waiting = 0, running = 0 } = (await queue?.size()) ?? {};
  return waiting + running;
}

/** Jobs that have had their effect, each as often as it had it. */
async function effectsIn(address: string): Promise<readonly number[]> {
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  const { rows } = await client.query<{ job: string }>(
    "SELECT job FROM reeve_plugin_sample.effects ORDER BY job",
  );
  await client.end();
  return rows.map(({ job }) => Number(job));
}

const endedIn = (lines: readonly Line[]): number[] =>
  lines.filter(({ what }) => what === "ends").map(({ job }) => job);

/** Milliseconds. */
const lease = 8000;
const cutOffFor = 30_000;

test("a thousand jobs, one daemon killed and one cut off for longer than its lease: each has its effect once, and never two are at it", async (t) => {
  t.timeout(180_000);
  const address = await databaseFor(t);
  const way = await CuttableLink.to(t, address);
  const { daemon, lines } = scene(t);
  const [queue, long] = await adder(t, address, "long");
  const [killed, cutOff, third] = await Promise.all([
    daemon(address, lease),
    daemon(way.address, lease),
    daemon(address, lease),
  ]);
  const all = Array.from({ length: 1000 }, (_, index) => index);
  await Promise.all(all.map((job) => queue.add(job, { key: `job ${job}` })));
  const longOnes = [5000, 5001, 5002];
  await Promise.all(longOnes.map((job) => long?.add(job)));
  await until(() => endedIn(lines()).length > 150);
  await until(() => longOnes.every((job) => lines().some((line) => line.job === job)));
  killed?.kill("SIGKILL");
  way.cut();
  await Promise.all([
    sleep(cutOffFor),
    until(() => lines().some(({ what, pid }) => what === "loses" && pid === cutOff?.pid)),
    until(async () => (await left(queue)) + (await left(long)) === 0),
  ]);
  way.mend();
  t.deepEqual(await effectsIn(address), [...all, ...longOnes]);
  const output = lines();
  const holders = new Map<number, number>();
  const overlaps: string[] = [];
  for (const { what, job, pid } of output) {
    const holder = holders.get(job);
    if (what !== "begins") holders.delete(job);
    else {
      if (holder !== undefined && holder !== killed?.pid)
        overlaps.push(`${job}: ${holder}, ${pid}`);
      holders.set(job, pid);
    }
  }
  t.deepEqual(overlaps, [], "whoever is cut off lets go before somebody else begins");
  // Back again, it works as before.
  const before = lines().length;
  await Promise.all(Array.from({ length: 300 }, (_, index) => queue.add(2000 + index)));
  await until(() =>
    lines()
      .slice(before)
      .some(({ pid }) => pid === cutOff?.pid),
  );
  await until(async () => (await left(queue)) === 0);
  t.true(
    lines()
      .slice(before)
      .some(({ pid }) => pid === third?.pid),
  );
  const more = Array.from({ length: 300 }, (_, index) => 2000 + index);
  t.deepEqual(await effectsIn(address), [...all, ...more, ...longOnes]);
});

test("whoever was stopped for longer than its lease hears that others went on before it has an effect outside", async (t) => {
  const address = await databaseFor(t);
  const { daemon, lines } = scene(t);
  const [, outside] = await adder(t, address, "outside");
  const stopped = await daemon(address, 1000);
  await outside?.add(1);
  await until(() => lines().some(({ what }) => what === "begins"));
  stopped.kill("SIGSTOP");
  const other = await daemon(address, 1000);
  await until(() => endedIn(lines()).length > 0);
  stopped.kill("SIGCONT");
  await until(() => lines().some(({ what }) => what === "loses"));
  t.deepEqual(
    lines().map(({ what, pid }) => [what, pid === other.pid ? "other" : "stopped"]),
    [
      ["begins", "stopped"],
      ["begins", "other"],
      ["ends", "other"],
      ["loses", "stopped"],
    ],
  );
  t.is(await left(outside), 0);
});

test("a rolling restart loses nothing and does nothing twice", async (t) => {
  t.timeout(120_000);
  const address = await databaseFor(t);
  const { daemon, lines } = scene(t);
  const [queue] = await adder(t, address);
  const first = await Promise.all([daemon(address), daemon(address)]);
  const all = Array.from({ length: 400 }, (_, index) => index);
  await Promise.all(all.map((job) => queue.add(job)));
  for (const [index, child] of first.entries()) {
    await until(() => endedIn(lines()).length > 60 * (index + 1));
    child.kill("SIGTERM");
    t.deepEqual(await once(child, "exit"), [0, null]);
    await daemon(address);
  }
  await until(async () => (await left(queue)) === 0);
  t.deepEqual(await effectsIn(address), all);
});

test("what is added here is worked on elsewhere, and cancelled from here", async (t) => {
  const address = await databaseFor(t);
  const { daemon, lines } = scene(t);
  const [queue] = await adder(t, address);
  await daemon(address);
  const id = await queue.add(7, { runAt: Date.now() + 3_600_000 });
  t.deepEqual(await queue.size(), { waiting: 1, running: 0, failed: 0 });
  t.true(await queue.cancel(id));
  await queue.add(8);
  await until(() => endedIn(lines()).includes(8));
  t.false(lines().some(({ job }) => job === 7));
});
