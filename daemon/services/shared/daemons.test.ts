/** Several daemons share the jobs: whatever happens to one of them, every job is done, and by one at a time. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import test, { type ExecutionContext } from "ava";
import type { Queue } from "../../plugin-api/state.js";
import { giftsOf, kitFor, temporaryDirectory, until } from "../cases/kit.js";
import { databaseFor } from "../cases/postgres.js";
import { Way } from "../cases/way.js";

const program = fileURLToPath(new URL("../cases/sharer.js", import.meta.url));

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
    async daemon(address: string): Promise<ChildProcess> {
      const own = join(directory, String(++count));
      const child = spawn(process.execPath, [program, own, address, log], {
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
  const { jobs } = (await giftsOf(kit)).context;
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

const endedIn = (lines: readonly Line[]): number[] =>
  lines.filter(({ what }) => what === "ends").map(({ job }) => job);

test("a thousand jobs, one daemon killed and one cut off: each is done, never by two at a time", async (t) => {
  t.timeout(120_000);
  const address = await databaseFor(t);
  const way = await Way.to(t, address);
  const { daemon, lines } = scene(t);
  const [queue, long] = await adder(t, address, "long");
  const [killed, cutOff, third] = await Promise.all([
    daemon(address),
    daemon(way.address),
    daemon(address),
  ]);
  const all = Array.from({ length: 1000 }, (_, index) => index);
  await Promise.all(all.map((job) => queue.add(job, { key: `job ${job}` })));
  const longOnes = [5000, 5001, 5002];
  await Promise.all(longOnes.map((job) => long?.add(job)));
  await until(() => endedIn(lines()).length > 150);
  await until(() => longOnes.every((job) => lines().some((line) => line.job === job)));
  killed?.kill("SIGKILL");
  way.cut();
  await until(() => lines().some(({ what, pid }) => what === "loses" && pid === cutOff?.pid));
  await until(async () => (await left(queue)) + (await left(long)) === 0);
  way.mend();
  const told = lines();
  t.deepEqual(
    [...new Set(endedIn(told))].sort((a, b) => a - b),
    [...all, ...longOnes],
  );
  const holders = new Map<number, number>();
  const overlaps: string[] = [];
  for (const { what, job, pid } of told) {
    const holder = holders.get(job);
    if (what !== "begins") holders.delete(job);
    else {
      if (holder !== undefined && holder !== killed?.pid)
        overlaps.push(`${job}: ${holder}, ${pid}`);
      holders.set(job, pid);
    }
  }
  t.deepEqual(overlaps, [], "whoever is cut off lets go before somebody else begins");
  const twice = endedIn(told).length - 1003;
  t.true(twice <= 16, `only what nobody could be told of is repeated, not ${twice} jobs`);
  // Back again, it works as before.
  const before = lines().length;
  await Promise.all(Array.from({ length: 300 }, (_, index) => queue.add(2000 + index)));
  await until(() =>
    lines()
      .slice(before)
      .some(({ pid }) => pid === cutOff?.pid),
  );
  await until(async () => (await queue.size()).waiting === 0);
  t.true(
    lines()
      .slice(before)
      .some(({ pid }) => pid === third?.pid),
  );
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
  t.deepEqual(
    endedIn(lines()).sort((a, b) => a - b),
    all,
  );
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
