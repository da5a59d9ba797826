/**
 * What an edit costs while people use the rest: 1,000 hooks in 20 files, steady requests to hooks that are not edited, 100
 * edits of one block; then memory over 1,000 reloads; then the same of 4,900 hooks. Prints one table: node dist/bench/reload/main.js
 */
import { writeFileSync } from "node:fs";
import { Agent } from "node:http";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { GenerationDetail, ReloadResult, Status } from "../../daemon/http/control/api.js";
import { type BenchDaemon, residentMemory, startDaemon } from "../support/daemon.js";
import { print, quantile, type Row } from "../support/table.js";
import { configuration, EDITED, FILES, fileText, HOOKS, nameOf } from "./configuration.js";
import { largeConfiguration } from "./large.js";
import { post, steady, type Traffic } from "./load.js";

const EDITS = 100;
const RELOADS = 1000;
const REQUESTS_PER_SECOND = 100;
/** Every so many requests one runs its command, and is answered when that has ended. */
const COMMAND_EVERY = 10;
/** The quiet time before an edit is read: the daemon's default. */
const DEBOUNCE = 150;

const mismatch = JSON.stringify({ ref: "refs/heads/wip" });
const match = (hook: number): string =>
  JSON.stringify({
    ref: "refs/heads/main",
    after: "0f3c2a1",
    repository: { full_name: `example/r${hook}` },
  });

const daemon = await startDaemon({ files: configuration() });
try {
  const base = await hooksUrl();
  const edits = await editUnderLoad(base);
  const memory = await memoryOverReloads();
  await daemon.stop();
  const large = await largeConfiguration();
  print(
    [...rowsOf(edits, memory), ...large],
    `${FILES * HOOKS} hooks in ${FILES} files, ${EDITS} edits, settle time ${DEBOUNCE} ms.`,
  );
} finally {
  await daemon.stop();
}

async function hooksUrl(): Promise<string> {
  const { listeners } = await daemon.control<Status>("GET", "/v1/status");
  return `http://${listeners[0]?.address}${listeners[0]?.prefixes[0]}`;
}

interface Edits {
  /** Milliseconds from the end of the write to the first answer of the new kind, less the settle time. */
  readonly latencies: readonly number[];
  readonly traffic: Traffic;
  /** Blocks that were not left alone, an edit. */
  readonly touched: readonly number[];
}

async function editUnderLoad(base: string): Promise<Edits> {
  const other = (count: number): { file: number; hook: number } => {
    const file = count % FILES;
    const hook = (count * 7) % HOOKS;
    return file === EDITED.file && hook === EDITED.hook ? { file, hook: hook + 1 } : { file, hook };
  };
  const load = steady(REQUESTS_PER_SECOND, (count) => {
    const { file, hook } = other(count);
    const url = `${base}/h-${file}-${hook}`;
    return count % COMMAND_EVERY === 0
      ? { url, body: match(hook), status: 200 }
      : { url, body: mismatch, status: 403 };
  });
  const agent = new Agent({ keepAlive: true });
  const latencies: number[] = [];
  const touched: number[] = [];
  await sleep(2000);
  for (let edit = 0; edit < EDITS; edit += 1) {
    const status = 410 + (edit % 40);
    write(daemon, status);
    const saved = performance.now();
    while ((await post(agent, `${base}/h-${EDITED.file}-${EDITED.hook}`, mismatch)) !== status) {
      await sleep(2);
    }
    latencies.push(performance.now() - saved - DEBOUNCE);
    touched.push(await touchedBlocks());
    await sleep(100);
  }
  agent.destroy();
  return { latencies, traffic: await load.stop(), touched };
}

function write({ directory }: BenchDaemon, status: number): void {
  writeFileSync(join(directory, nameOf(EDITED.file)), fileText(EDITED.file, status));
}

async function touchedBlocks(): Promise<number> {
  const { generation } = await daemon.control<Status>("GET", "/v1/status");
  const detail = await daemon.control<GenerationDetail>(
    "GET",
    `/v1/generations/${generation?.number}`,
  );
  const { unchanged: _unchanged, ...changed } = detail.summary ?? { unchanged: 0 };
  return Object.values(changed as Readonly<Record<string, number>>).reduce((a, b) => a + b, 0);
}

interface Memory {
  readonly after50: number;
  readonly afterAll: number;
}

/** Reloads as fast as they come; each with an edit of its own. */
async function memoryOverReloads(): Promise<Memory> {
  let after50 = Number.NaN;
  for (let reload = 1; reload <= RELOADS; reload += 1) {
    write(daemon, 410 + (reload % 40));
    const { generation } = await daemon.control<ReloadResult>("POST", "/v1/reload");
    if (generation.state === "rejected") throw new Error(`refused: ${generation.reason}`);
    if (reload === 50) after50 = residentMemory(daemon.pid);
  }
  return { after50, afterAll: residentMemory(daemon.pid) };
}

function rowsOf(
  { latencies, traffic, touched }: Edits,
  { after50, afterAll }: Memory,
): readonly Row[] {
  for (const failure of traffic.failed.slice(0, 10)) process.stderr.write(`${failure}\n`);
  const growth = (afterAll / after50 - 1) * 100;
  return [
    {
      what: `failed or dropped, of ${traffic.answered + traffic.failed.length} requests`,
      result: String(traffic.failed.length),
      bar: "0",
    },
    {
      what: "edit saved → new behaviour, after the settle time, p50",
      result: `${quantile(latencies, 0.5).toFixed(0)} ms`,
      bar: "≤ 100 ms",
    },
    {
      what: "the same, p99",
      result: `${quantile(latencies, 0.99).toFixed(0)} ms`,
      bar: "≤ 300 ms",
    },
    {
      what: "blocks touched by an edit, fewest and most",
      result: `${Math.min(...touched)} and ${Math.max(...touched)}`,
      bar: "exactly 1",
    },
    {
      what: `resident memory after ${RELOADS} reloads, against after 50`,
      result: `${growth > 0 ? "+" : ""}${growth.toFixed(1)} % (${after50.toFixed(0)} → ${afterAll.toFixed(0)} MiB)`,
      bar: "within 10 %",
    },
  ];
}
