/** A database that an earlier version made, while a daemon of that version still works on it. */
import ava, { type ExecutionContext } from "ava";
import type { Pool } from "pg";
import { needs, postgres } from "../../../tests/support/needs.js";
import { Bench } from "../testing/controlled-worker.js";
import { databaseFor } from "../testing/postgres.js";
import { contextOf, kitFor, Lines, until } from "../testing/services.js";
import { poolFor } from "./connection.js";
import { bringUpToDate, SCHEMA } from "./schema.js";

const test = needs(ava, postgres);

const never = new AbortController().signal;

/** A daemon of the first version, as far as the database hears of it. */
async function early(t: ExecutionContext, address: string) {
  const pool = await poolFor({ address, most: 1, schema: SCHEMA });
  t.teardown(() => pool.end());
  const ask = async (text: string, ...values: readonly unknown[]) =>
    (await (pool as Pool).query<Record<string, unknown>>(text, [...values])).rows;
  return {
    pool,
    add: (id: string, key: string | null = null) =>
      ask(
        "SELECT add_jobs('sample', 'q', $1, $2, $3, $4, $5, $6)",
        ...[[id], [JSON.stringify(id)], [key], [null], [0], [0]],
      ),
    claim: (room: number) =>
      ask("SELECT * FROM claim_jobs('sample', 'q', $1, $2, 30000, 'early')", Date.now(), room),
    done: (id: unknown, claim: unknown) =>
      ask(
        `WITH gone AS (DELETE FROM jobs WHERE id = $1 AND claim = $2 RETURNING key)
         SELECT pg_notify('reeve_jobs', '["sample","q"]') FROM gone WHERE key IS NOT NULL`,
        ...[id, claim],
      ),
  };
}

test("jobs of an earlier version are done, what it is working on is left to it, and it goes on", async (t) => {
  const address = await databaseFor(t);
  const old = await early(t, address);
  await bringUpToDate(old.pool, 1);
  await old.add("01", "a");
  const [held] = await old.claim(1);
  t.is(held?.id, "01");
  await old.add("02", "a");
  await old.add("03", "b");

  const logStream = new Lines();
  const kit = await kitFor(t, { logStream });
  await kit.share({ address, lease: 30_000 }, never);
  const bench = new Bench();
  const { jobs } = (await contextOf(kit)).context;
  const queue = await jobs.queue("q", { concurrency: 3 }, bench.work);
  await bench.whenStarted(1);
  t.is(bench.names, "03", "the key of the other is taken");

  // What one of them is working on, the other does not begin.
  await old.add("04", "b");
  t.deepEqual(
    (await old.claim(5)).filter(({ id }) => id !== null),
    [],
  );
  await old.done(held?.id, held?.claim);
  await bench.whenStarted(2);
  t.is(bench.names, "03 02");
  bench.end("03");
  await bench.whenStarted(3);
  bench.end("02");
  bench.end("04");
  await until(async () => (await queue.size()).running === 0);
  t.deepEqual(await queue.size(), { waiting: 0, running: 0, failed: 0 });
  t.deepEqual(
    logStream.all.filter(({ level }) => level !== "info" && level !== "debug"),
    [],
  );

  await queue.close();
  await queue.add("05", { key: "a" });
  const [next] = await old.claim(1);
  t.is(next?.payload, '"05"', "it takes what the newer one has added");
});
