/** Jobs outlive whoever works on them. */
import { ReeveError } from "../../errors.js";
import { Bench } from "../testing/controlled-worker.js";
import { engines } from "../testing/engines.js";
import { contextOf, until } from "../testing/services.js";

for (const engine of engines) {
  engine.test(
    `${engine.name}: a plugin that goes gives its jobs back, and its successor has them`,
    async (t) => {
      const kit = await engine.kitFor(t);
      const old = await contextOf(kit);
      const first = new Bench();
      const queue = await old.context.jobs.queue("q", { concurrency: 2 }, first.work);
      await Promise.all([queue.add("a"), queue.add("b"), queue.add("c")]);
      await first.whenStarted(2);
      await first.jobs[0]?.report("half");
      await old.dispose();
      t.true(first.jobs.every(({ signal }) => signal.aborted));
      first.end("a");
      const second = new Bench();
      const next = await (await contextOf(kit)).context.jobs.queue(
        "q",
        { concurrency: 3 },
        second.work,
      );
      await second.whenStarted(3);
      t.is(second.names, "a b c");
      t.deepEqual(
        second.jobs.map(({ attempt, progress }) => [attempt, progress]),
        [
          [1, "half"],
          [1, undefined],
          [1, undefined],
        ],
      );
      t.deepEqual(await next.size(), { waiting: 0, running: 3, failed: 0 });
    },
  );

  engine.test(
    `${engine.name}: a plugin that dies elsewhere has not failed its jobs, and gets no more`,
    async (t) => {
      const { jobs } = (await contextOf(await engine.kitFor(t))).context;
      const first = new Bench();
      const queue = await jobs.queue("q", { concurrency: 2 }, first.work);
      await Promise.all([queue.add("a"), queue.add("b"), queue.add("c")]);
      await first.whenStarted(2);
      const death = new ReeveError("plugin_gone", "It ran out of memory.");
      first.end("a", death);
      first.end("b", death);
      await until(async () => (await queue.size()).waiting === 3);
      const second = new Bench();
      await jobs.queue("q", { concurrency: 3 }, second.work);
      await second.whenStarted(3);
      t.is(first.names, "a b");
      t.deepEqual(
        second.jobs.map(({ payload, attempt }) => [payload, attempt]),
        [
          ["a", 1],
          ["b", 1],
          ["c", 1],
        ],
      );
    },
  );

  engine.test(`${engine.name}: a job that kills whoever works on it is given up`, async (t) => {
    const kit = await engine.kitFor(t);
    for (let life = 1; life <= 5; life++) {
      const context = await contextOf(kit);
      const bench = new Bench();
      const queue = await context.context.jobs.queue("q", {}, bench.work);
      if (life === 1) await queue.add("poison");
      await bench.whenStarted(1);
      await context.dispose();
    }
    const bench = new Bench();
    const queue = await (await contextOf(kit)).context.jobs.queue("q", {}, bench.work);
    t.deepEqual(await queue.size(), { waiting: 0, running: 0, failed: 1 });
  });

  engine.test(
    `${engine.name}: a new worker takes over what waits; the old one ends what it has begun`,
    async (t) => {
      const { jobs } = (await contextOf(await engine.kitFor(t))).context;
      const old = new Bench();
      const first = await jobs.queue("q", {}, old.work);
      await first.add("a");
      await first.add("b");
      await old.whenStarted(1);
      const now = new Bench();
      await jobs.queue("q", {}, now.work);
      await now.whenStarted(1);
      await first.add("c", { key: "k" });
      now.end("b");
      await now.whenStarted(2);
      const last = new Bench();
      const third = await jobs.queue("q", { concurrency: 2 }, last.work);
      await third.add("d", { key: "k" });
      t.is((await third.size()).waiting, 1);
      old.end("a");
      now.end("c");
      await last.whenStarted(1);
      t.deepEqual([old.names, now.names, last.names], ["a", "b c", "d"]);
    },
  );

  engine.test(
    `${engine.name}: a queue that is closed keeps what waits for its next worker`,
    async (t) => {
      const location = await engine.locationFor(t);
      const kit = await engine.kitFor(t, {}, location);
      const { jobs } = (await contextOf(kit)).context;
      const queue = await jobs.queue<string>("q", {}, async () => undefined);
      await queue.close();
      await queue.add("a");
      t.deepEqual(await queue.size(), { waiting: 1, running: 0, failed: 0 });
      await kit.close();
      const bench = new Bench();
      const again = (await contextOf(await engine.kitFor(t, {}, location))).context.jobs;
      await again.queue("q", {}, bench.work);
      await bench.whenStarted(1);
      t.is(bench.names, "a");
    },
  );
}
