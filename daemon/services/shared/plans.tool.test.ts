/** How the database goes about a claim, by its own account. */
import ava from "ava";
import pg from "pg";
import { needs, postgres } from "../../../tests/support/needs.js";
import { databaseFor } from "../testing/postgres.js";
import { kitFor } from "../testing/services.js";
import { SCHEMA } from "./schema.js";

const test = needs(ava, postgres);

const fill = `
  INSERT INTO jobs (plugin, queue, state, id, payload, key, priority, run_at)
  SELECT 'sample', 'q', 'waiting', 'job' || lpad(n::text, 17, '0'), '1', nullif('k' || n % 4000, 'k1'), 0, n / 30
  FROM generate_series(1, 20000) AS n`;
const explain = `
  LOAD 'auto_explain';
  SET auto_explain.log_level = notice; SET auto_explain.log_min_duration = 0;
  SET auto_explain.log_nested_statements = on; SET auto_explain.log_analyze = on`;

test("claims go by index and in order, before the table was ever analyzed and after", async (t) => {
  t.timeout(90_000);
  const address = await databaseFor(t);
  const kit = await kitFor(t);
  await kit.share({ address, lease: 30_000 }, new AbortController().signal);
  const client = new pg.Client({ connectionString: address, options: `-c search_path=${SCHEMA}` });
  await client.connect();
  t.teardown(() => client.end());
  const claimed = async (): Promise<readonly string[]> => {
    const { rows } = await client.query<{ id: string }>(
      "SELECT id FROM work_jobs('sample', 'q', '{}', '{}', 1000, 3, 30000, 'one', 'token')",
    );
    return rows.map(({ id }) => id);
  };
  await client.query(fill);
  await client.query(explain);
  let plans: string[] = [];
  client.on("notice", ({ message = "" }) => plans.push(message));
  for (const [state, prepare, first] of [
    ["never analyzed", "SELECT 1", 1],
    ["analyzed", "ANALYZE jobs", 4],
    // What was planned is thrown away, and planned anew.
    ["analyzed while little was waiting", "ANALYZE jobs", 7],
  ] as const) {
    await client.query(prepare);
    plans = [];
    t.deepEqual(
      await claimed(),
      [0, 1, 2].map((offset) => `job${String(first + offset).padStart(17, "0")}`),
    );
    const all = plans.join("\n");
    t.regex(all, /LockRows[^\n]*\n[^\n]*(\n[^\n]*)?Index Scan using jobs_next/, state);
    t.notRegex(all, /Seq Scan on jobs|Bitmap|Hash Join|JIT/, state);
    if (first === 4)
      await client.query("UPDATE jobs SET run_at = 2000 WHERE id > 'job00000000000000030'");
  }
});
