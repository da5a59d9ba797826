/**
 * One of several daemons that share a database, in a process of its own, to be killed or cut off:
 * `sharer.js <directory> <address> <log> <lease>`. What it does is a line of the log, which all of them write; the effect of a job is a row.
 */
import { appendFileSync } from "node:fs";
import { once } from "../../plugin-api/once.js";
import type { Job } from "../../plugin-api/state.js";
import { openServices } from "../services.js";
import { contextOf, optionsIn } from "./services.js";

const [, , directory = "", address = "", log = "", lease = ""] = process.argv;
const kit = await openServices(optionsIn(directory));
await kit.share({ address, lease: Number(lease) }, new AbortController().signal);
const { context } = contextOf(kit, "sample", 1, directory);
const say = (what: string, job: number): void =>
  appendFileSync(log, `${what} ${job} ${process.pid}\n`);

const database = await context.store.database<{ effects: { job: number; pid: number } }>({
  "001-effects": async (tables) => {
    await tables.schema
      .createTable("effects")
      .addColumn("job", "integer", (column) => column.notNull())
      .addColumn("pid", "integer", (column) => column.notNull())
      .execute();
  },
});
const effect = (job: Job<number>): Promise<void> =>
  database.transaction().execute(async (transaction) => {
    if (!(await once(transaction, job))) return;
    const row = { job: job.payload, pid: process.pid };
    await transaction.insertInto("effects").values(row).execute();
  });

const worksFor =
  (milliseconds: number) =>
  async (job: Job<number>): Promise<void> => {
    const { payload, signal } = job;
    say("begins", payload);
    try {
      await context.clock.sleep(milliseconds, signal);
      say("writes", payload);
      await effect(job);
    } catch (thrown) {
      say("loses", payload);
      throw thrown;
    }
    say("ends", payload);
  };
/** Its effect is outside, and nothing but its claim keeps it from having it twice. */
const outside = async (job: Job<number>): Promise<void> => {
  say("begins", job.payload);
  await context.clock.sleep(500);
  await job.hold().catch((thrown: unknown) => {
    say("loses", job.payload);
    throw thrown;
  });
  say("ends", job.payload);
};
const options = { attempts: 5, backoff: 100 };
await context.jobs.queue("q", { ...options, concurrency: 8 }, worksFor(60));
await context.jobs.queue("outside", options, outside);
// Longer than a lease: whoever is cut off is in the middle of one.
await context.jobs.queue("long", options, worksFor(Number(lease) * 1.2));
process.stdout.write("works\n");
process.on("SIGTERM", () => {
  void kit.close().then(() => process.exit(0));
});
