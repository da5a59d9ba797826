/**
 * One of several daemons that share a database, in a process of its own, to be killed or cut off:
 * `sharer.js <directory> <address> <log>`. What it does is a line of the log, which all of them write.
 */
import { appendFileSync } from "node:fs";
import type { Job } from "../../plugin-api/state.js";
import { openServices } from "../services.js";
import { optionsIn } from "./kit.js";

const [, , directory = "", address = "", log = ""] = process.argv;
const kit = await openServices(optionsIn(directory));
await kit.share({ address, lease: 3000 }, new AbortController().signal);
const { context } = await kit.forPlugin({
  plugin: "sample",
  generation: () => 1,
  configuration: directory,
  signal: new AbortController().signal,
});
const say = (what: string, job: number): void =>
  appendFileSync(log, `${what} ${job} ${process.pid}\n`);

const worksFor =
  (milliseconds: number) =>
  async ({ payload, signal }: Job<number>): Promise<void> => {
    say("begins", payload);
    try {
      await context.clock.sleep(milliseconds, signal);
    } catch (thrown) {
      say("loses", payload);
      throw thrown;
    }
    say("ends", payload);
  };
const options = { attempts: 5, backoff: 100 };
await context.jobs.queue("q", { ...options, concurrency: 8 }, worksFor(60));
// Longer than a lease: whoever is cut off is in the middle of one.
await context.jobs.queue("long", options, worksFor(5000));
process.stdout.write("works\n");
process.on("SIGTERM", () => {
  void kit.close().then(() => process.exit(0));
});
