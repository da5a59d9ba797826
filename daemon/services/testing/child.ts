/** A daemon's services in a process of their own, to be killed: `child.js <directory> <what>`. Prints what is acknowledged. */
import { openServices } from "../services.js";
import { contextOf, optionsIn } from "./services.js";

const [, , directory = "", what] = process.argv;
const kit = await openServices(optionsIn(directory));
const { context } = contextOf(kit, "sample", 1, directory);
const say = (text: string): void => void process.stdout.write(`${text}\n`);

const works: Readonly<Record<string, () => Promise<void>>> = {
  /** Starts and finishes runs as fast as it can. */
  async runs() {
    for (;;) {
      const runs = await Promise.all(
        Array.from({ length: 10 }, () => context.runs.start({ kind: "test", subject: "test.a" })),
      );
      for (const { id } of runs) say(`started ${id}`);
      for (const run of runs.slice(5)) {
        await run.finish({ state: "succeeded" });
        say(`finished ${run.id}`);
      }
      // Fewer than are kept, however late it is killed.
      await new Promise((resolve) => setTimeout(resolve, 5));
    }
  },
  /** Works on a job that never ends, with another one behind it. */
  async jobs() {
    const queue = await context.jobs.queue<string>("q", {}, async (job) => {
      await job.report({ step: 3 });
      say(`works ${job.payload} ${job.attempt}`);
      await new Promise(() => setInterval(() => undefined, 1000));
    });
    await queue.add("first");
    await queue.add("second");
    say("added");
  },
  /** Fills the disk, says how that is told, waits for a word that there is room again, and goes on. */
  async fill() {
    const map = context.store.map("big");
    const run = await context.runs.start({ kind: "test", subject: "test.a" });
    const attempt = async (name: string, work: () => Promise<void>): Promise<boolean> => {
      try {
        await work();
        say(`kept ${name}`);
        return true;
      } catch (thrown) {
        const { code, message } = thrown as { code?: string; message: string };
        say(`refused ${code}: ${message}`);
        return false;
      }
    };
    let index = 0;
    while (await attempt(String(index), () => map.set(String(index), "x".repeat(50_000)))) index++;
    // Small enough to fit where the large one did not: fill the rest.
    while (await attempt("rest", () => map.set(String(index), "x".repeat(500)))) index++;
    await attempt("end", () => run.finish({ state: "succeeded" }));
    say("full");
    await new Promise((resolve) => process.stdin.once("data", resolve));
    process.stdin.destroy();
    await attempt("after", () => map.set("after", 1));
    await kit.close();
  },
};
await works[what ?? ""]?.();
