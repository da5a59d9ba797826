/** From a save to the event on the control socket. */
import {
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../cli/control/client.js";
import { type BenchDaemon, residentMemory, startDaemon } from "../support/daemon.js";
import { median } from "../support/table.js";

const DEBOUNCE = 10;
const SAVES = 200;
/** Saves before those: a daemon that has just started has yet to compile what it does and to clear up after its start. */
const WARM_UP = 100;
const FOLDERS = 100;
const FILES_EACH = 100;

const block = (pattern: string): string =>
  `settings "zls" {\n  watch = ["${pattern}"]\n  debounce = ${DEBOUNCE}ms\n}\n`;

/** Milliseconds over the debounce, a save. */
export async function latencyOfOne(): Promise<readonly number[]> {
  const daemon = await startDaemon({
    files: { "main.reeve": block("./zls.json"), "zls.json": "{}" },
  });
  try {
    return await latencies(daemon, () => "zls.json", SAVES);
  } finally {
    await daemon.stop();
  }
}

export interface Many {
  /** MiB that a daemon has more than one with a single file. */
  readonly memory: number;
  /** Milliseconds that a start takes longer, one figure a round. */
  readonly ready: readonly number[];
  /** Milliseconds over the debounce, a save. */
  readonly latencies: readonly number[];
}

/** `contentOf` a file by its number. */
export async function manyFiles(
  contentOf: (file: number) => string,
  rounds: number,
): Promise<Many> {
  const few = { "main.reeve": block("./files/*/zls-*.json"), "files/0/zls-0.json": contentOf(0) };
  const many: Record<string, string> = { ...few };
  for (let file = 0; file < FOLDERS * FILES_EACH; file += 1) {
    many[`files/${Math.floor(file / FILES_EACH)}/zls-${file % FILES_EACH}.json`] = contentOf(file);
  }
  // The last file wins, so that its changes are in force.
  const last = `files/${FOLDERS - 1}/zls-${FILES_EACH - 1}.json`;
  const ready: number[] = [];
  const memory: number[] = [];
  const taken: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const idle = await startDaemon({ files: few });
    await sleep(1_000);
    const before = residentMemory(idle.pid);
    await idle.stop();
    const daemon = await startDaemon({ files: many });
    try {
      await sleep(1_000);
      memory.push(residentMemory(daemon.pid) - before);
      ready.push(daemon.startedIn - idle.startedIn);
      if (round === 0) taken.push(...(await latencies(daemon, () => last, SAVES)));
    } finally {
      await daemon.stop();
    }
  }
  return { memory: median(memory), ready, latencies: taken };
}

/** Milliseconds, a round: nothing but listing the directories and reading as many files. What no watcher can do without. */
export function bareRead(rounds: number): readonly number[] {
  const root = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  try {
    for (let folder = 0; folder < FOLDERS; folder += 1) {
      mkdirSync(join(root, String(folder)));
      for (let file = 0; file < FILES_EACH; file += 1) {
        writeFileSync(join(root, String(folder), `zls-${file}.json`), '{"warn_style": false}');
      }
    }
    return Array.from({ length: rounds }, () => {
      const begin = performance.now();
      for (const folder of readdirSync(root)) {
        const directory = join(root, folder);
        for (const name of readdirSync(directory)) readFileSync(join(directory, name));
      }
      return performance.now() - begin;
    });
  } finally {
    rmSync(root, { recursive: true });
  }
}

async function latencies(
  daemon: BenchDaemon,
  fileOf: (save: number) => string,
  saves: number,
): Promise<readonly number[]> {
  const control = connect({ control: join(daemon.directory, "control.sock") });
  const ending = new AbortController();
  let received = Promise.withResolvers<void>();
  const listening = (async () => {
    for await (const line of control.events({}, ending.signal)) {
      if (line.line === "event" && line.type === "settings.changed") received.resolve();
    }
  })().catch(() => undefined);
  const taken: number[] = [];
  for (let save = 0; save < WARM_UP + saves; save += 1) {
    await sleep(20 + (save % 7));
    const path = join(daemon.directory, fileOf(save));
    received = Promise.withResolvers();
    const next = `${readFileSync(path, "utf8").includes("true") ? '{"warn_style": false}' : '{"warn_style": true}'}`;
    if (save % 2 === 0) writeFileSync(path, next);
    else {
      writeFileSync(`${path}.tmp`, next);
      renameSync(`${path}.tmp`, path);
    }
    const saved = performance.now();
    await received.promise;
    const duration = performance.now() - saved;
    if (save >= WARM_UP) taken.push(duration - DEBOUNCE);
  }
  ending.abort();
  await listening;
  return taken;
}
