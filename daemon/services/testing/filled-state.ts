/**
 * A daemon's services that fill a state directory, to be killed or closed: `filled-state.js <directory> <rows> <scale> <end>`. With all tables: those of runs, in
 * the journal as well and not; jobs, maps, records; and a plugin's own. Says `filled` when everything is acknowledged.
 */
import { writeSync } from "node:fs";
import type { Generated } from "kysely";
import { openServices } from "../services.js";
import { contextOf, optionsIn } from "./services.js";

interface PluginTables {
  things: { id: Generated<number>; name: string; weight: number };
}

const [, , directory = "", rows, scale, end] = process.argv;
const count = Number(rows);
const kit = await openServices(optionsIn(directory));
const { context } = contextOf(kit, "sample", 1, directory);
const { runs, store, jobs } = context;
const database = await store.database<PluginTables>({
  "1": async (db) => {
    await db.schema
      .createTable("things")
      .addColumn("id", "integer", (column) => column.primaryKey())
      .addColumn("name", "text", (column) => column.notNull())
      .addColumn("weight", "integer", (column) => column.notNull())
      .execute();
    await db.schema.createIndex("things_by_weight").on("things").column("weight").execute();
  },
});
const queue = await jobs.queue<{ readonly index: number }>("later", {}, async () => undefined);
const map = store.map<string>("keys");
const records = kit.records("numbers");
for (let index = 0; index < count; index += 1) {
  const text = `${index} ${"b".repeat((index % 60) * 150 * Number(scale))}`;
  const run = await runs.start({
    ...{ kind: "hook", subject: "hook.a", state: "queued", durability: "disk" },
    ...{ resume: { index, text }, request: { body: text } },
  });
  if (index % 3 === 0) {
    await run.running();
    run.output("stdout", text.repeat(index % 5));
    await run.finish({ state: "succeeded" });
  }
  if (index % 4 === 0) await map.set(String(index), text);
  if (index % 5 === 0) await records.set(String(index), { text });
  if (index % 6 === 0) await queue.add({ index }, { runAt: Date.now() + 86_400_000 });
  await database.insertInto("things").values({ name: text, weight: index }).execute();
}
if (end === "closed") await kit.close();
writeSync(1, "filled\n");
// Until it is killed.
if (end !== "closed") Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0);
