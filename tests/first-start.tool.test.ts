/** Three daemons that start at the same instant on an empty database: each table is made once, also those of plugins that run elsewhere. */
import ava from "ava";
import pg from "pg";
import { databaseFor } from "../daemon/services/testing/postgres.js";
import { scene, until } from "./several/scene.js";
import { needs, postgres } from "./support/needs.js";

const test = needs(ava, postgres);

const JOBS = 60;

/** Makes tables in three steps, each of which is no step when it is taken twice, and has jobs with an effect in them. */
const plugin = (id: string): string => `
import { c, definePlugin, once } from "reeve/plugin";

export default definePlugin({
  id: "${id}",
  title: "Tally",
  api: 1,
  blocks: { tally: c.block({ attrs: {} }) },
  async setup({ store, jobs }) {
    const step = (name) => async (tables) => {
      await tables.insertInto("steps").values({ name }).execute();
      await new Promise((resolve) => setTimeout(resolve, 100));
    };
    const database = await store.database({
      "001-tables": async (tables) => {
        await tables.schema.createTable("steps").addColumn("name", "text", (column) => column.notNull()).execute();
        await tables.schema.createTable("effects").addColumn("job", "integer", (column) => column.notNull()).execute();
      },
      "002-step": step("second"),
      "003-step": step("third"),
    });
    const work = async (job) => {
      await job.hold();
      await database.transaction().execute(async (transaction) => {
        if (!(await once(transaction, job))) return;
        await transaction.insertInto("effects").values({ job: job.payload }).execute();
      });
    };
    const queue = await jobs.queue("tally", { concurrency: 4, attempts: 3, backoff: 50 }, work);
    for (let job = 0; job < ${JOBS}; job += 1) await queue.add(job);
    return { prepare: () => ({ commit: () => undefined }) };
  },
});
`;

const isolations = ["worker", "process"] as const;

test("tables are made once, and jobs of plugins in workers and processes have their effect once", async (t) => {
  t.timeout(180_000);
  const address = await databaseFor(t);
  const at = scene(t, {
    lease: "10s",
    updates: (shared) => `  repositories = "${shared}"`,
    more: {
      blocks: isolations
        .map(
          (isolation) => `plugin "${isolation}" {
  source = "./${isolation}.js"
  isolation = "${isolation}"
}
${isolation}.tally {}
`,
        )
        .join(""),
      files: Object.fromEntries(
        isolations.map((isolation) => [`${isolation}.js`, plugin(`tally-${isolation}`)]),
      ),
    },
  });
  const names = ["one", "two", "three"];
  const daemons = await Promise.all(names.map((name) => at.daemon(name, address)));
  const client = new pg.Client({ connectionString: address });
  await client.connect();
  t.teardown(() => client.end());
  const all = async (table: string, column: string): Promise<readonly unknown[]> => {
    const { rows } = await client.query(`SELECT ${column} AS value FROM ${table} ORDER BY 1`);
    return rows.map(({ value }) => value);
  };
  for (const isolation of isolations) {
    const tables = `reeve_plugin_tally_2d_${isolation}`;
    await until(async () => (await all(`${tables}.effects`, "job")).length >= names.length * JOBS);
    t.deepEqual(await all(`${tables}.steps`, "name"), ["second", "third"], isolation);
    const wanted = Array.from({ length: JOBS }, (_, job) => names.map(() => String(job))).flat();
    t.deepEqual(
      await all(`${tables}.effects`, "job"),
      wanted.sort((a, b) => +a - +b),
      isolation,
    );
  }
  for (const { ask, log } of daemons) {
    const { state } = await ask("GET", "/v1/status");
    t.is(state, "running", log());
  }
  const { rows } = await client.query("SELECT count(*) AS count FROM reeve_plugin_updates.folder");
  t.is(rows[0].count, "1");
});
