/**
 * The jobs of one daemon, in a process of its own: `daemon.js <directory> <jobs> [<database>]`. Adds its jobs, waits for a
 * line, does them and those of others, and says when none are left.
 */
import { openServices } from "../../daemon/services/services.js";

const AT_ONCE = 50;

const [, , directory = "", count = "0", address] = process.argv;
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
const { context } = await kit.forPlugin({
  plugin: "bench",
  generation: () => 1,
  configuration: directory,
  signal: new AbortController().signal,
});
const idle = await context.jobs.queue<number>("noop", {}, async () => undefined);
await idle.close();
const jobs = Array.from({ length: Number(count) }, (_, index) => index);
while (jobs.length > 0) await Promise.all(jobs.splice(0, 1000).map((job) => idle.add(job)));
process.stdout.write("filled\n");
await new Promise((resolve) => process.stdin.once("data", resolve));
const queue = await context.jobs.queue<number>(
  "noop",
  { concurrency: AT_ONCE },
  async () => undefined,
);
for (;;) {
  const { waiting, running } = await queue.size();
  if (waiting + running === 0) break;
  await new Promise((resolve) => setTimeout(resolve, 20));
}
process.stdout.write("done\n");
await kit.close();
process.exit(0);
