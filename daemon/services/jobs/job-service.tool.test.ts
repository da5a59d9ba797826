import test from "ava";
import { FakeClock } from "../fake-clock.js";
import { Bench } from "../testing/controlled-worker.js";
import { engines } from "../testing/engines.js";
import { contextOf, kitFor, until } from "../testing/services.js";

for (const engine of engines) {
  engine.test(`${engine.name}: a job is done and gone`, async (t) => {
    const { jobs } = (await contextOf(await engine.kitFor(t))).context;
    const seen: unknown[] = [];
    const queue = await jobs.queue<{ n: number }>("q", {}, async ({ payload, attempt }) => {
      seen.push([payload, attempt]);
    });
    await queue.add({ n: 1 });
    await until(async () => seen.length === 1 && (await queue.size()).running === 0);
    t.deepEqual(seen, [[{ n: 1 }, 1]]);
    t.deepEqual(await queue.size(), { waiting: 0, running: 0, failed: 0 });
  });

  engine.test(
    `${engine.name}: as many jobs at once as the queue allows, the rest in order of priority and age`,
    async (t) => {
      const { jobs } = (await contextOf(await engine.kitFor(t))).context;
      const bench = new Bench();
      const queue = await jobs.queue("q", { concurrency: 2 }, bench.work);
      await Promise.all(["a", "b", "c", "d"].map((name) => queue.add(name)));
      // Before they have begun, what is urgent would go first.
      await bench.whenStarted(2);
      await queue.add("urgent", { priority: 1 });
      t.deepEqual(await queue.size(), { waiting: 3, running: 2, failed: 0 });
      for (const [index, name] of ["a", "b", "urgent", "c", "d"].entries()) {
        await bench.whenStarted(index + 1);
        bench.end(name);
      }
      t.is(bench.names, "a b urgent c d");
      t.is(bench.mostAtOnce, 2);
    },
  );

  engine.test(`${engine.name}: jobs of one key never overlap; others pass them`, async (t) => {
    const { jobs } = (await contextOf(await engine.kitFor(t))).context;
    const bench = new Bench();
    const queue = await jobs.queue("q", { concurrency: 10 }, bench.work);
    await Promise.all([
      queue.add("a1", { key: "a" }),
      queue.add("a2", { key: "a" }),
      queue.add("b1", { key: "b" }),
      queue.add("free"),
    ]);
    await bench.whenStarted(3);
    t.is(bench.names, "a1 b1 free");
    t.deepEqual(await queue.size(), { waiting: 1, running: 3, failed: 0 });
    bench.end("a1");
    await bench.whenStarted(4);
    t.is(bench.names, "a1 b1 free a2");
  });

  engine.test(
    `${engine.name}: a job that has to wait for its key does not hide when the next one is due`,
    async (t) => {
      const clock = new FakeClock();
      const { jobs } = (await contextOf(await engine.kitFor(t, { clock }))).context;
      const bench = new Bench();
      const queue = await jobs.queue("q", { concurrency: 5, lease: 3_000_000 }, bench.work);
      await queue.add("a1", { key: "a" });
      await queue.add("a2", { key: "a" });
      await queue.add("later", { runAt: clock.now() + 30_000 });
      await bench.whenStarted(1);
      await until(() => clock.next === clock.now() + 30_000);
      clock.pass(30_000);
      await bench.whenStarted(2);
      t.is(bench.names, "a1 later");
    },
  );

  engine.test(`${engine.name}: a job that repeats a waiting one is that one`, async (t) => {
    const { jobs } = (await contextOf(await engine.kitFor(t))).context;
    const bench = new Bench();
    const queue = await jobs.queue("q", {}, bench.work);
    const first = await queue.add("one", { dedupe: "x" });
    await bench.whenStarted(1);
    const [second, third] = await Promise.all([
      queue.add("two", { dedupe: "x" }),
      queue.add("three", { dedupe: "x" }),
    ]);
    t.not(second, first, "the first runs already and may have missed what is new");
    t.is(third, second);
    t.is((await queue.size()).waiting, 1);
  });

  engine.test(`${engine.name}: a job waits until it is due`, async (t) => {
    const clock = new FakeClock();
    const { jobs } = (await contextOf(await engine.kitFor(t, { clock }))).context;
    const bench = new Bench();
    const queue = await jobs.queue("q", {}, bench.work);
    await queue.add("tomorrow", { runAt: clock.now() + 86_400_000 });
    await queue.add("later", { runAt: clock.now() + 30_000 });
    await until(() => clock.next === clock.now() + 30_000);
    clock.pass(30_000);
    await bench.whenStarted(1);
    bench.end("later");
    await until(async () => (await queue.size()).running === 0);
    t.is(bench.names, "later");
    t.is((await queue.size()).waiting, 1);
  });

  engine.test(
    `${engine.name}: a try that fails is repeated, twice as late each time, until there are no more`,
    async (t) => {
      const clock = new FakeClock();
      const { jobs } = (await contextOf(await engine.kitFor(t, { clock }))).context;
      const attempts: number[] = [];
      const queue = await jobs.queue<string>(
        "q",
        { attempts: 3, backoff: 1000 },
        async ({ attempt, report, progress }) => {
          attempts.push(attempt);
          if (attempt > 1) t.is(progress, attempt - 1);
          await report(attempt);
          throw new Error("no");
        },
      );
      await queue.add("a");
      for (const [tries, least, most] of [
        [1, 1000, 1250],
        [2, 2000, 2500],
      ] as const) {
        await until(async () => attempts.length === tries && (await queue.size()).waiting === 1);
        await until(() => clock.next - clock.now() <= most && clock.next - clock.now() >= least);
        clock.pass(most);
      }
      await until(async () => (await queue.size()).failed === 1);
      t.deepEqual(attempts, [1, 2, 3]);
    },
  );

  engine.test(
    `${engine.name}: a waiting job is cancelled by being removed, a running one by its signal`,
    async (t) => {
      const { jobs } = (await contextOf(await engine.kitFor(t))).context;
      const bench = new Bench();
      const queue = await jobs.queue("q", { attempts: 5 }, bench.work);
      const running = await queue.add("running");
      const waiting = await queue.add("waiting");
      await bench.whenStarted(1);
      t.true(await queue.cancel(waiting));
      t.false(await queue.cancel(waiting));
      t.deepEqual(await queue.size(), { waiting: 0, running: 1, failed: 0 });
      t.true(await queue.cancel(running));
      t.true(bench.jobs[0]?.signal.aborted);
      bench.end("running", new Error("cancelled"));
      await until(async () => (await queue.size()).running === 0);
      t.deepEqual(await queue.size(), { waiting: 0, running: 0, failed: 0 }, "no further try");
    },
  );

  engine.test(`${engine.name}: a lease is renewed as long as its worker lives`, async (t) => {
    const clock = new FakeClock();
    const { jobs } = (await contextOf(await engine.kitFor(t, { clock }))).context;
    const bench = new Bench();
    const queue = await jobs.queue("q", { lease: 3000 }, bench.work);
    await queue.add("long");
    await bench.whenStarted(1);
    for (let count = 0; count < 10; count++) {
      await until(() => clock.next === clock.now() + 1000);
      clock.pass(1000);
    }
    t.false(bench.jobs[0]?.signal.aborted);
    bench.end("long");
    await until(async () => (await queue.size()).running === 0);
  });

  engine.test(`${engine.name}: queues of different plugins do not meet`, async (t) => {
    const kit = await engine.kitFor(t);
    const benches = [new Bench(), new Bench()];
    for (const [index, plugin] of ["a", "b"].entries()) {
      const { jobs } = (await contextOf(kit, plugin)).context;
      const queue = await jobs.queue("q", {}, benches[index]?.work ?? (async () => undefined));
      await queue.add(plugin);
    }
    await Promise.all(benches.map((bench) => bench.whenStarted(1)));
    t.deepEqual(
      benches.map(({ names }) => names),
      ["a", "b"],
    );
  });

  engine.test(`${engine.name}: five hundred jobs are all done, each once`, async (t) => {
    const { jobs } = (await contextOf(await engine.kitFor(t))).context;
    const seen: number[] = [];
    const queue = await jobs.queue<number>("q", { concurrency: 20 }, async ({ payload }) => {
      seen.push(payload);
    });
    await Promise.all(
      Array.from({ length: 500 }, (_, index) => queue.add(index, { key: String(index % 50) })),
    );
    await until(async () => {
      const { waiting, running } = await queue.size();
      return waiting + running === 0;
    });
    t.deepEqual(
      seen.sort((a, b) => a - b),
      Array.from({ length: 500 }, (_, index) => index),
    );
  });
}

for (const [options, why] of [
  [{ concurrency: 0 }, "its concurrency must be at least 1"],
  [{ attempts: 0 }, "its attempts must be at least 1"],
  [{ backoff: -1 }, "its backoff must not be negative"],
  [{ lease: 1 }, "its lease must be at least 100 ms"],
] as const) {
  test(`a queue is refused: ${why}`, async (t) => {
    const { jobs } = (await contextOf(await kitFor(t))).context;
    await t.throwsAsync(
      jobs.queue("q", options, async () => undefined),
      {
        code: "queue_invalid",
        message: `The queue "q" cannot be declared: ${why}.`,
      },
    );
  });
}
