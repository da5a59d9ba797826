/** From a save to the event on the control socket. */
import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { connect } from "../../cli/control/client.js";
import { type BenchDaemon, residentMemory, startDaemon } from "../support/daemon.js";

const DEBOUNCE = 10;
const SAVES = 200;
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
  /** MiB. */
  readonly memory: number;
  /** Milliseconds that a start takes longer. */
  readonly ready: number;
  readonly latencies: readonly number[];
}

export async function manyFiles(): Promise<Many> {
  const few = { "main.reeve": block("./files/*/zls-*.json"), "files/0/zls-0.json": "{}" };
  const idle = await startDaemon({ files: few });
  await sleep(1_000);
  const before = residentMemory(idle.pid);
  const idleStart = idle.startedIn;
  await idle.stop();
  const files: Record<string, string> = { ...few };
  for (let folder = 0; folder < FOLDERS; folder += 1) {
    for (let file = 0; file < FILES_EACH; file += 1) {
      files[`files/${folder}/zls-${file}.json`] = '{"warn_style": false}';
    }
  }
  const daemon = await startDaemon({ files });
  try {
    await sleep(1_000);
    const memory = residentMemory(daemon.pid) - before;
    // The last file wins, so that its changes are in force.
    const last = `files/${FOLDERS - 1}/zls-${FILES_EACH - 1}.json`;
    return {
      memory,
      ready: daemon.startedIn - idleStart,
      latencies: await latencies(daemon, () => last, 20),
    };
  } finally {
    await daemon.stop();
  }
}

async function latencies(
  daemon: BenchDaemon,
  fileOf: (save: number) => string,
  saves: number,
): Promise<readonly number[]> {
  const control = connect({ control: join(daemon.directory, "control.sock") });
  const ending = new AbortController();
  let heard = Promise.withResolvers<void>();
  const listening = (async () => {
    for await (const line of control.events({}, ending.signal)) {
      if (line.line === "event" && line.type === "settings.changed") heard.resolve();
    }
  })().catch(() => undefined);
  const taken: number[] = [];
  for (let save = 0; save < saves; save += 1) {
    await sleep(20 + (save % 7));
    const path = join(daemon.directory, fileOf(save));
    heard = Promise.withResolvers();
    const next = `${readFileSync(path, "utf8").includes("true") ? '{"warn_style": false}' : '{"warn_style": true}'}`;
    if (save % 2 === 0) writeFileSync(path, next);
    else {
      writeFileSync(`${path}.tmp`, next);
      renameSync(`${path}.tmp`, path);
    }
    const saved = performance.now();
    await heard.promise;
    taken.push(performance.now() - saved - DEBOUNCE);
  }
  ending.abort();
  await listening;
  return taken;
}
