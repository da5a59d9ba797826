/**
 * What starting a command costs, by each way of starting it, in a small daemon and in one that holds a lot; and what is
 * left of many. Prints one table: node dist/bench/spawn/main.js
 */
import { mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Processes } from "../../daemon/plugin-api/processes.js";
import { instanceServices } from "../../daemon/services/instance-services.js";
import { openServices } from "../../daemon/services/services.js";
import { residentMemory } from "../support/daemon.js";
import { median, print, quantile, type Row } from "../support/table.js";

const ROUNDS = 5;
const MANY = 10_000;
const AT_ONCE = 16;
const BALLAST = 200;
const ways = ["fastest", "plain"] as const;

interface Measured {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly latencies: readonly number[];
}

const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));

async function processesOf(
  commands: (typeof ways)[number],
): Promise<{ readonly processes: Processes; close(): Promise<void> }> {
  const kit = await openServices({
    directories: {
      state: join(directory, commands, "state"),
      cache: join(directory, commands, "cache"),
      temporary: join(directory, commands, "temporary"),
    },
    ...{ logLevel: "error", logFormat: "json", commands },
  });
  const context = instanceServices(
    kit.openScope({
      plugin: "bench",
      generation: () => 1,
      configuration: directory,
    }).scope,
  );
  return { processes: context.processes, close: () => kit.close() };
}

async function measure(processes: Processes, count: number, atOnce: number): Promise<Measured> {
  const latencies: number[] = [];
  const startedAt = performance.now();
  const worker = async (): Promise<void> => {
    while (latencies.length < count) {
      const { outcome, exitCode, error, duration } = await processes.run({ argv: ["/bin/true"] });
      if (exitCode !== 0) throw new Error(`/bin/true ${outcome}: ${error ?? exitCode}`);
      latencies.push(duration);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, worker));
  const perSecond = latencies.length / ((performance.now() - startedAt) / 1000);
  return { perSecond, latencies };
}

/** In turn, so that all had the same minute. */
async function compare(what: string, atOnce: number): Promise<Row> {
  const all = { fastest: [] as Measured[], plain: [] as Measured[] };
  for (let round = 0; round < ROUNDS; round += 1) {
    for (const way of ways) all[way].push(await measure(houses[way].processes, 100, atOnce));
  }
  const ratios = all.fastest.map(
    (each, round) => each.perSecond / (all.plain[round]?.perSecond ?? 1),
  );
  const results = ways.map((way) => {
    const rate = median(all[way].map(({ perSecond }) => perSecond)).toFixed(0);
    const tail = median(all[way].map(({ latencies }) => quantile(latencies, 0.99))).toFixed(1);
    return `${way} ${rate}/s, p99 ${tail} ms`;
  });
  return { what, result: `${results.join("; ")}; ${median(ratios).toFixed(1)} ×`, bar: "> 1 ×" };
}

const descriptors = (): number => readdirSync("/proc/self/fd").length;

/** The first half lets the heap find its size. */
async function leftOvers(processes: Processes): Promise<Row> {
  await measure(processes, MANY / 2, AT_ONCE);
  const before = { memory: residentMemory(process.pid), descriptors: descriptors() };
  await measure(processes, MANY / 2, AT_ONCE);
  const memory = residentMemory(process.pid) - before.memory;
  const open = descriptors() - before.descriptors;
  return {
    what: `${MANY.toLocaleString("en")} commands, the second half`,
    result: `${memory.toFixed(1)} MB and ${open} descriptors more`,
    bar: "flat, 0",
  };
}

const houses = { fastest: await processesOf("fastest"), plain: await processesOf("plain") };
try {
  const rows = [
    await compare("`/bin/true`, one after the other", 1),
    await compare(`\`/bin/true\`, ${AT_ONCE} at once`, AT_ONCE),
    await leftOvers(houses.fastest.processes),
  ];
  const ballast = Buffer.alloc(BALLAST * 1024 * 1024, 1);
  rows.push(
    await compare(`with ${BALLAST} MB more in memory, one after the other`, 1),
    await compare(`with ${BALLAST} MB more in memory, ${AT_ONCE} at once`, AT_ONCE),
  );
  const size = residentMemory(process.pid).toFixed(0);
  print(
    rows,
    `Medians of ${ROUNDS} × 100 in turn; ${size} MB resident at the end, ${ballast.length} B of them ballast.`,
  );
} finally {
  await houses.fastest.close();
  await houses.plain.close();
  rmSync(directory, { recursive: true, force: true });
}
