/**
 * A daemon under a steady mix of deliveries, edits and dashboard requests, sampled over time. Prints what it uses, and fails on a
 * trend or a refused delivery: `npm run soak`, or `npm run soak -- --minutes 5`, `--hours 24`.
 */
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { parseArgs } from "node:util";
import { type BenchDaemon, residentMemory, startDaemon } from "../../bench/support/daemon.js";
import { median } from "../../bench/support/table.js";
import type { Status } from "../../daemon/http/control/api.js";
import { ask } from "../../daemon/http/testing/client.js";

const { values } = parseArgs({
  options: { minutes: { type: "string", default: "30" }, hours: { type: "string" } },
});
const duration =
  values.hours === undefined ? Number(values.minutes) * 60_000 : Number(values.hours) * 3_600_000;
const SAMPLES = 60;
/** Milliseconds. */
const BETWEEN_DELIVERIES = 50;
const BETWEEN_EDITS = 5_000;
const BETWEEN_VIEWS = 1_000;

const file = (version: number): string => `hook_server "main" { listen = "127.0.0.1:0" }
hook "answers" {
  methods = ["GET"]
  run = ["true"]
  response { body = "version ${version}" }
}
hook "queues" {
  run = ["true"]
  concurrency = 2
  queue = 1000
}
`;

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

const daemon = await startDaemon({ files: { "main.reeve": file(0) } });
const agent = new Agent({ keepAlive: true });
const over = new AbortController();
let wrong = 0;
try {
  const { listeners } = await daemon.control<Status>("GET", "/v1/status");
  const address = listeners[0]?.address ?? "";
  let deliveries = 0;
  let edits = 0;
  const work = [
    every(BETWEEN_DELIVERIES, async () => {
      deliveries += 1;
      const isQueued = deliveries % 2 === 0;
      const path = isQueued ? "/hooks/queues" : "/hooks/answers";
      const method = isQueued ? "POST" : "GET";
      const { status } = await ask(address, path, { agent, method });
      if (status >= 300) wrong += 1;
    }),
    every(BETWEEN_EDITS, async () => {
      edits += 1;
      writeFileSync(join(daemon.directory, "main.reeve"), file(edits));
    }),
    every(BETWEEN_VIEWS, async () => {
      await daemon.control("GET", "/v1/panels");
      await daemon.control("GET", "/v1/runs?limit=50");
    }),
  ];
  const samples: Sample[] = [];
  for (let count = 0; count < SAMPLES; count += 1) {
    await setTimeout(duration / SAMPLES);
    samples.push(await sampleOf(daemon));
  }
  over.abort();
  await Promise.all(work);
  if (wrong > 0) process.exitCode = 1;
  report(samples, `${deliveries} deliveries, ${wrong} refused, and ${edits} edits`);
} finally {
  over.abort();
  agent.destroy();
  await daemon.stop();
}

/** Until the end. */
async function every(milliseconds: number, work: () => Promise<void>): Promise<void> {
  while (!over.signal.aborted) {
    await work();
    await setTimeout(milliseconds);
  }
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
