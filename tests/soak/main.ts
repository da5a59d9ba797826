/**
 * A daemon with work for all its plugins, sampled over time: `work.ts`. Prints what it uses, and fails on a trend or a wrong
 * result: `npm run soak`, or `npm run soak -- --minutes 5`, `--hours 24`.
 */
import { readdirSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type BenchDaemon, residentMemory } from "../../bench/support/daemon.js";
import { median } from "../../bench/support/table.js";
import { ask } from "../../daemon/http/testing/client.js";
import { soak } from "./work.js";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, hours: { type: "string" } },
});
const duration =
  values.hours === undefined ? Number(values.minutes) * 60_000 : Number(values.hours) * 3_600_000;
const SAMPLES = 60;

interface Sample {
  readonly "resident memory, MiB": number;
  readonly "heap, MiB": number;
  readonly "open files": number;
  readonly threads: number;
  readonly "state, MiB": number;
}

/** How much more the last third may have than the second, beyond a tenth. */
const slack: Sample = {
  "resident memory, MiB": 8,
  "heap, MiB": 8,
  "open files": 4,
  threads: 2,
  "state, MiB": 8,
};

const over = new AbortController();
const { world, work, end } = await soak();
try {
  const done = work(over.signal);
  const samples: Sample[] = [];
  for (let count = 0; count < SAMPLES; count += 1) {
    await setTimeout(duration / SAMPLES);
    samples.push(await sampleOf(world.daemon));
  }
  over.abort();
  const tallies = Object.entries(await done);
  report(samples, tallies.map(([kind, { done }]) => `${done} ${kind}`).join(", "));
  for (const [kind, { done, wrong, reason }] of tallies) {
    if (wrong === 0) continue;
    process.exitCode = 1;
    process.stdout.write(`${wrong} of ${done} ${kind} failed: ${reason}\n`);
  }
} finally {
  over.abort();
  await end();
}

async function sampleOf({ pid, directory }: BenchDaemon): Promise<Sample> {
  const { body } = await ask(`unix:${join(directory, "control.sock")}`, "/metrics");
  const status = readFileSync(`/proc/${pid}/status`, "utf8");
  return {
    "resident memory, MiB": residentMemory(pid),
    "heap, MiB": Number(/^reeve_process_heap_bytes (\S+)/m.exec(body)?.[1]) / 2 ** 20,
    "open files": readdirSync(`/proc/${pid}/fd`).length,
    threads: Number(/^Threads:\s+(\d+)/m.exec(status)?.[1]),
    "state, MiB": sizeOf(join(directory, ".state")) / 2 ** 20,
  };
}

function sizeOf(directory: string): number {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true });
  return entries.reduce((sum, entry) => {
    const found = statSync(join(entry.parentPath, entry.name), { throwIfNoEntry: false });
    return sum + (found?.isFile() ? found.size : 0);
  }, 0);
}

/** The first third is the time to warm up. */
function report(samples: readonly Sample[], remark: string): void {
  const third = Math.floor(samples.length / 3);
  const lines = ["| what | second third | last third | |", "|---|---|---|---|"];
  for (const what of Object.keys(slack) as Array<keyof Sample>) {
    const of = (part: readonly Sample[]) => median(part.map((sample) => sample[what]));
    const [before, after] = [of(samples.slice(third, 2 * third)), of(samples.slice(2 * third))];
    const grows = after > before * 1.1 + slack[what];
    if (grows) process.exitCode = 1;
    lines.push(
      `| ${what} | ${before.toFixed(1)} | ${after.toFixed(1)} | ${grows ? "grows" : "steady"} |`,
    );
  }
  process.stdout.write(
    `${lines.join("\n")}\n\nMedians over ${duration / 60_000} min with ${remark}.\n`,
  );
}
