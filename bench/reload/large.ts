/** How long requests wait for the event loop while a configuration of almost 5,000 hooks is edited. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import type { ReloadResult } from "../../daemon/http/control/api.js";
import { type BenchDaemon, startDaemon } from "../support/daemon.js";
import { median, type Row } from "../support/table.js";
import { configuration, EDITED, fileOf, nameOf } from "./configuration.js";
import type { LoopDelay } from "./loop-delay.js";

/** With a nested block each, they stay below the limit of 10,000 blocks. */
const FILES = 100;
const HOOKS = 49;
const EDITS = 5;

export async function loopDelays(): Promise<readonly Row[]> {
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
    const one = await delaysOf(daemon, path, (status) => {
      const statusOf = (hook: number): number => (hook === EDITED.hook ? status : 403);
      writeFileSync(
        join(daemon.directory, nameOf(EDITED.file)),
        fileOf(EDITED.file, HOOKS, statusOf),
      );
    });
    const all = await delaysOf(daemon, path, (status) => {
      for (let file = 0; file < FILES; file += 1) {
        writeFileSync(
          join(daemon.directory, nameOf(file)),
          fileOf(file, HOOKS, () => status),
        );
      }
    });
    return [rowOf("one hook", one), rowOf("all hooks", all)];
  } finally {
    await daemon.stop();
    rmSync(directory, { recursive: true, force: true });
  }
}

async function delaysOf(
  daemon: BenchDaemon,
  path: string,
  write: (status: number) => void,
): Promise<readonly LoopDelay[]> {
  const delays: LoopDelay[] = [];
  for (let edit = 0; edit < EDITS; edit += 1) {
    await sleep(2000);
    await read(daemon, path);
    write(410 + edit);
    const { generation } = await daemon.control<ReloadResult>("POST", "/v1/reload");
    if (generation.state === "rejected") throw new Error(`refused: ${generation.reason}`);
    delays.push(await read(daemon, path));
  }
  return delays;
}

async function read({ pid }: BenchDaemon, path: string): Promise<LoopDelay> {
  rmSync(path, { force: true });
  process.kill(pid, "SIGUSR2");
  while (!existsSync(path)) await sleep(5);
  return JSON.parse(readFileSync(path, "utf8")) as LoopDelay;
}

function rowOf(what: string, delays: readonly LoopDelay[]): Row {
  const p99 = median(delays.map((each) => each.p99));
  const max = Math.max(...delays.map((each) => each.max));
  return {
    what: `delay of the event loop while ${what} of ${FILES * HOOKS} change: median p99, longest`,
    result: `${p99.toFixed(0)} ms, ${max.toFixed(0)} ms`,
    bar: "≤ 10 ms, ≤ 30 ms",
  };
}
