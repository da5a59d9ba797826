/**
 * What it costs to have the daemon: start to ready on the quickstart, as compiled and bundled in turn, and then what it
 * takes while nothing happens. Prints one table: node dist/bench/start/main.js
 */
import { spawnSync } from "node:child_process";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { processorTime, residentMemory, startDaemon } from "../support/daemon.js";
import { median, print, type Row } from "../support/table.js";

const ROUNDS = 15;
const IDLE = 30_000;

const quickstart = new URL("../../../examples/quickstart/", import.meta.url).pathname;
const bundled = new URL("../../bundle/reeve.js", import.meta.url).pathname;
const files = filesIn(quickstart);

const bare: number[] = [];
const compiled: number[] = [];
const bundle: number[] = [];
for (let round = 0; round < ROUNDS; round += 1) {
  bare.push(bareNode());
  compiled.push(await startOnce());
  if (existsSync(bundled)) bundle.push(await startOnce(bundled));
}
const idle = await idleCost(existsSync(bundled) ? bundled : undefined);
const rows: readonly Row[] = [
  { what: "for comparison: `node -e 0`", result: `${median(bare).toFixed(0)} ms`, bar: "" },
  {
    what: "start to ready, from `dist`",
    result: `${median(compiled).toFixed(0)} ms`,
    bar: "≤ 400 ms",
  },
  {
    what: "start to ready, bundled",
    result: bundle.length === 0 ? "no bundle here" : `${median(bundle).toFixed(0)} ms`,
    bar: "≤ 200 ms",
  },
  { what: "idle, resident memory", result: `${idle.memory.toFixed(0)} MiB`, bar: "≤ 110 MB" },
  { what: "idle, processor", result: `${idle.share.toFixed(2)} %`, bar: "< 0.5 %" },
];
print(rows, `Medians of ${ROUNDS} starts in turn; idle over ${IDLE / 1000} s.`);

function bareNode(): number {
  const started = performance.now();
  spawnSync(process.execPath, ["-e", "0"]);
  return performance.now() - started;
}

async function startOnce(bin?: string): Promise<number> {
  const daemon = await startDaemon({ files, ...(bin ? { bin } : {}) });
  await daemon.stop();
  return daemon.startedIn;
}

async function idleCost(bin?: string): Promise<{ memory: number; share: number }> {
  const daemon = await startDaemon({ files, ...(bin ? { bin } : {}) });
  try {
    await sleep(5000);
    const before = processorTime(daemon.pid);
    await sleep(IDLE);
    const share = ((processorTime(daemon.pid) - before) / IDLE) * 100;
    return { memory: residentMemory(daemon.pid), share };
  } finally {
    await daemon.stop();
  }
}

function filesIn(directory: string): Record<string, string> {
  return Object.fromEntries(
    readdirSync(directory, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => {
        const path = join(entry.parentPath, entry.name);
        return [path.slice(directory.length), readFileSync(path, "utf8")];
      }),
  );
}
