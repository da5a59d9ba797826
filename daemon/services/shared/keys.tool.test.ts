/** Keys among daemons that do not wait for each other's claims. */
import ava, { type ExecutionContext } from "ava";
import pg from "pg";
import { turns } from "../../../tests/support/eventually.js";
import { needs, postgres } from "../../../tests/support/needs.js";
import type { Job } from "../../plugin-api/state.js";
import type { ServiceOptions } from "../contract.js";
import { FakeClock } from "../fake-clock.js";
import { Bench } from "../testing/controlled-worker.js";
import { databaseFor } from "../testing/postgres.js";
import { contextOf, kitFor, Lines, until } from "../testing/services.js";

const test = needs(ava, postgres);

async function daemon(t: ExecutionContext, address: string, options?: Partial<ServiceOptions>) {
  const kit = await kitFor(t, options);
  await kit.share({ address, lease: 30_000 }, new AbortController().signal);
  return (await contextOf(kit)).context.jobs;
}

/** So that no test passes since somebody looks again at its end. */
const lease = 3_000_000;

test("three daemons that claim at once: of one key one job runs, and none is left", async (t) => {
  t.timeout(90_000);
  const address = await databaseFor(t);
  const logs = [new Lines(), new Lines(), new Lines()];
  const daemons = await Promise.all(logs.map((logStream) => daemon(t, address, { logStream })));
  const running = new Set<string>();
  const overlaps: string[] = [];
  const done: number[] = [];
  const work = async ({ payload }: Job<number>): Promise<void> => {
    const key = String(payload % 20);
    if (running.has(key)) overlaps.push(key);
    running.add(key);
    await turns(20 * (payload % 4));
    running.delete(key);
    done.push(payload);
  };
  const queues = await Promise.all(
    daemons.map((jobs) => jobs.queue<number>("q", { concurrency: 5, lease }, work)),
  );
  const all = Array.from({ length: 600 }, (_, index) => index);
  for (const job of all) {
    const adding = queues[job % 3]?.add(job, { key: String(job % 20) });
    if (job % 50 === 0) await adding;
  }
  await until(() => done.length >= all.length);
  t.deepEqual(
    done.toSorted((one, other) => one - other),
    all,
  );
  t.deepEqual(overlaps, []);
  t.deepEqual(
    logs.flatMap((log) => log.all.filter(({ level }) => level === "warn")),
    [],
  );
});

test("whoever waits for a key is told when it is free, also by a daemon that takes no more", async (t) => {
  const address = await databaseFor(t);
  // Time stands still: nobody looks again after a while.
  const clock = new FakeClock();
  const [one, two] = [await daemon(t, address, { clock }), await daemon(t, address, { clock })];
  const holder = new Bench();
  const queue = await one.queue("q", { lease }, holder.work);
  await queue.add("first", { key: "a" });
  await holder.whenStarted(1);
  await queue.add("second", { key: "a" });
  const waiter = new Bench();
  const other = await two.queue("q", { concurrency: 2, lease }, waiter.work);
  await other.add("something else");
  await waiter.whenStarted(1);
  const closing = queue.close();
  holder.end("first");
  await waiter.whenStarted(2);
  t.is(waiter.names, "something else second");
  await closing;
});

test("nobody is told of the end of a job that nobody waits for", async (t) => {
  const address = await databaseFor(t);
  const listener = new pg.Client({ connectionString: address });
  await listener.connect();
  t.teardown(() => listener.end());
  let received = 0;
  listener.on("notification", () => {
    received += 1;
  });
  await listener.query("LISTEN reeve_jobs");
  const jobs = await daemon(t, address);
  const queue = await jobs.queue<number>("q", { lease }, async () => undefined);
  for (const key of ["a", "b", "c"]) await queue.add(1, { key });
  await until(async () => {
    const { waiting, running } = await queue.size();
    return waiting + running === 0;
  });
  await listener.query("SELECT 1");
  t.is(received, 3, "once for each that was added");
});

test("of jobs with keys the most urgent of each is begun, in the order of priority", async (t) => {
  const address = await databaseFor(t);
  const [adder, worker] = [await daemon(t, address), await daemon(t, address)];
  const idle = await adder.queue("q", {}, async () => undefined);
  await idle.close();
  await Promise.all(
    [0, 5, 1, 9].map((priority) => idle.add(`p${priority}`, { priority, key: `k${priority % 2}` })),
  );
  const bench = new Bench();
  await worker.queue("q", { concurrency: 4, lease }, bench.work);
  await bench.whenStarted(2);
  t.is(bench.names, "p9 p0");
  bench.end("p9");
  await bench.whenStarted(3);
  t.is(bench.names, "p9 p0 p5");
});
