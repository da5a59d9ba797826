/**
 * What edits of almost 5,000 hooks cost the others: the longest turn of the event loop, during which requests wait, and memory
 * that stays.
 */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReloadResult } from "../../daemon/http/control/api.js";
import { type BenchDaemon, residentMemory, startDaemon } from "../support/daemon.js";
import { median, type Row } from "../support/table.js";
import { configuration, fileOf, nameOf } from "./configuration.js";
import type { LoopDelay } from "./loop-delay.js";

/** With a nested block each, they stay below the limit of 10,000 blocks. */
const FILES = 100;
const HOOKS = 49;
/** Edits of one hook, one after the other. */
const SERIES = 100;
/** Edits that come while the one before is still applied. */
const STORM = 200;
/** Milliseconds between two of a storm. */
const PACE = 30;
const OF_ALL = 5;
const MINUTE = 60_000;

export async function largeConfiguration(): Promise<readonly Row[]> {
  const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  const path = join(directory, "delay.json");
  const daemon = await startDaemon({
    files: configuration(FILES, HOOKS),
    env: {
      NODE_OPTIONS: `--import ${new URL("./loop-delay.js", import.meta.url).pathname}`,
      REEVE_BENCH_DELAY: path,
    },
  });
  try {
    await sleep(MINUTE);
    const before = residentMemory(daemon.pid);
    const series: LoopDelay[] = [];
    for (let edit = 0; edit < SERIES; edit += 1) {
      series.push(await delayOf(daemon, path, () => editOne(daemon, edit)));
    }
    await sleep(MINUTE);
    const after = residentMemory(daemon.pid);
    const storm = await delayOf(daemon, path, async () => {
      for (let edit = 0; edit < STORM; edit += 1) {
        editOne(daemon, SERIES + edit);
        await sleep(PACE);
      }
    });
    const ofAll: LoopDelay[] = [];
    for (let edit = 0; edit < OF_ALL; edit += 1) {
      await sleep(2000);
      ofAll.push(await delayOf(daemon, path, () => editAll(daemon, 410 + edit)));
    }
    return [
      turnRow(`${SERIES} edits of one hook of ${FILES * HOOKS}`, series),
      turnRow(`a storm of ${STORM} such edits, ${PACE} ms apart`, [storm]),
      turnRow(`${OF_ALL} edits of all hooks`, ofAll),
      memoryRow(before, after),
    ];
  } finally {
    await daemon.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

/** Another hook of another file each time, with a status that it did not have before. */
function editOne({ directory }: BenchDaemon, edit: number): void {
  const file = (edit * 7) % FILES;
  const status = 410 + (edit % 40);
  const text = fileOf(file, HOOKS, (hook) => (hook === edit % HOOKS ? status : 403));
  writeFileSync(join(directory, nameOf(file)), text);
}

function editAll({ directory }: BenchDaemon, status: number): void {
  for (let file = 0; file < FILES; file += 1) {
    writeFileSync(
      join(directory, nameOf(file)),
      fileOf(file, HOOKS, () => status),
    );
  }
}

/** From before `write` to the end of the reload that applies it. */
async function delayOf(
  daemon: BenchDaemon,
  path: string,
  write: () => void | Promise<void>,
): Promise<LoopDelay> {
  await read(daemon, path);
  await write();
  const { generation } = await daemon.control<ReloadResult>("POST", "/v1/reload");
  if (generation.state === "rejected") throw new Error(`refused: ${generation.reason}`);
  return read(daemon, path);
}

async function read({ pid }: BenchDaemon, path: string): Promise<LoopDelay> {
  rmSync(path, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!existsSync(path)) await sleep(5);
  return JSON.parse(readFileSync(path, "utf8")) as LoopDelay;
}

function turnRow(what: string, delays: readonly LoopDelay[]): Row {
  const longest = delays.map(({ max }) => max);
  const most = Math.max(...longest);
  const p99 = median(delays.map((each) => each.p99));
  const typical = delays.length === 1 ? "" : `median ${median(longest).toFixed(0)} ms, `;
  return {
    what: `longest turn of the event loop: ${what}`,
    result: `${typical}at most ${most.toFixed(0)} ms (99 % of the turns: ${p99.toFixed(0)} ms)`,
    bar: "≤ 50 ms",
  };
}

function memoryRow(before: number, after: number): Row {
  const growth = (after / before - 1) * 100;
  return {
    what: `resident memory a minute after ${SERIES} edits of one hook of ${FILES * HOOKS}, against before`,
    result: `${growth > 0 ? "+" : ""}${growth.toFixed(1)} % (${before.toFixed(0)} → ${after.toFixed(0)} MiB)`,
    bar: "within 20 %",
  };
}
