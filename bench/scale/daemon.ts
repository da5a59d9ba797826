/**
 * The jobs of one daemon, in a process of its own: `daemon.js <directory> <jobs> <keys> [<database>]`. Adds its jobs, waits for
 * a line, does them and those of others, tells how many it has done, and at the next line what that took.
 */
import { once } from "node:events";
import { createInterface } from "node:readline";
import pg from "pg";
import { instanceServices } from "../../daemon/services/instance-services.js";
import { openServices } from "../../daemon/services/services.js";

const AT_ONCE = 50;

/** What a daemon says at its end. */
export interface DaemonReport {
  /** Questions to the database, those that asked for jobs, and those that were given none. */
  readonly statements: number;
  readonly claims: number;
  readonly empty: number;
  /** Processor time of this daemon, in microseconds. */
  readonly processor: number;
}

/** Counts what the driver is asked for. */
function counted() {
  const counts = { statements: 0, claims: 0, empty: 0 };
  const { query } = pg.Pool.prototype;
  pg.Pool.prototype.query = async function (this: pg.Pool, ...words: readonly unknown[]) {
    const [statement] = words as [{ text?: string }];
    const answer = await Reflect.apply(query as (...all: unknown[]) => unknown, this, words);
    counts.statements += 1;
    if (/_jobs\(/.test(statement.text ?? "") && "rows" in (answer as object)) {
      const { rows } = answer as pg.QueryResult<Record<string, unknown>>;
      if (!/claim|work/.test(statement.text ?? "")) return answer;
      counts.claims += 1;
      if (!rows.some(({ payload }) => payload !== null)) counts.empty += 1;
    }
    return answer;
  } as unknown as typeof query;
  return counts;
}

const [, , directory = "", count = "0", keys = "0", address] = process.argv;
const lines = createInterface(process.stdin);
const kit = await openServices({
  directories: {
    state: `${directory}/state`,
    cache: `${directory}/cache`,
    temporary: `${directory}/temporary`,
  },
  ...{ logLevel: "error", logFormat: "json" },
});
if (address !== undefined)
  await kit.share({ address, lease: 30_000 }, new AbortController().signal);
const context = instanceServices(
  kit.openScope({
    plugin: "bench",
    generation: () => 1,
    configuration: directory,
  }).scope,
);
const idle = await context.jobs.queue<number>("noop", {}, async () => undefined);
await idle.close();
const jobs = Array.from({ length: Number(count) }, (_, index) => index);
const optionsOf = (job: number) =>
  keys === "0" ? {} : { key: `repo:${job % Number(keys)}`, dedupe: `config:${directory} ${job}` };
while (jobs.length > 0) {
  await Promise.all(jobs.splice(0, 1000).map((job) => idle.add(job, optionsOf(job))));
}
process.stdout.write("filled\n");
await once(lines, "line");
const counts = counted();
const before = process.cpuUsage();
let done = 0;
let reported = 0;
const queue = await context.jobs.queue<number>("noop", { concurrency: AT_ONCE }, async () => {
  done += 1;
});
const reporting = setInterval(() => {
  if (done > reported) process.stdout.write(`${done}\n`);
  reported = done;
}, 5);
await once(lines, "line");
clearInterval(reporting);
while ((await queue.size()).running > 0) await new Promise((resolve) => setTimeout(resolve, 5));
const { user, system } = process.cpuUsage(before);
process.stdout.write(
  `${JSON.stringify({ ...counts, processor: user + system } satisfies DaemonReport)}\n`,
);
await kit.close();
process.exit(0);
