/** Two saves in quick succession: whether a watcher ends with the second. */
import { mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { createFileService } from "../../daemon/watch/files.js";

const BURSTS = 200;
const GAPS = [2, 10, 25, 45, 60] as const;
/** Milliseconds after which a consumer that has the first content counts as stale. A consumer that lost the second save stays stale. */
const PATIENCE = 2_000;
/** Sleeps of this many milliseconds and more are those between two glances, which would find out what was lost: they do not end. */
const GLANCES = 1_000;
const FOR_EVER = 1e8;

export interface Bursts {
  readonly how: string;
  readonly gap: number;
  readonly bursts: number;
  readonly stale: number;
}

const rename = (path: string, text: string): void => {
  writeFileSync(`${path}.tmp`, text);
  renameSync(`${path}.tmp`, path);
};

export async function staleAfterBursts(): Promise<readonly Bursts[]> {
  const all: Bursts[] = [];
  for (const [how, save] of [
    ["in place", writeFileSync],
    ["by renaming", rename],
  ] as const) {
    for (const gap of GAPS) {
      all.push({ how, gap, bursts: BURSTS, stale: await stale(save, gap) });
    }
  }
  return all;
}

async function stale(save: (path: string, text: string) => void, gap: number): Promise<number> {
  const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  const path = join(directory, "a.txt");
  writeFileSync(path, "");
  const quiet = () => undefined;
  const log = { debug: quiet, info: quiet, warn: quiet, error: quiet, child: () => log };
  const clock = {
    now: () => Date.now(),
    sleep: (milliseconds: number, signal?: AbortSignal) =>
      sleep(milliseconds < GLANCES ? milliseconds : FOR_EVER, undefined, signal ? { signal } : {}),
  };
  const files = createFileService({ log, clock });
  let seen = "";
  await files.watch([path], { applyFiles: 5 }, ({ files: [file] }) => {
    seen = Buffer.from(file?.content ?? []).toString();
  });
  let count = 0;
  for (let burst = 0; burst < BURSTS; burst += 1) {
    save(path, `first ${burst}`);
    await sleep(gap);
    save(path, `last ${burst}`);
    const end = performance.now() + PATIENCE;
    while (seen !== `last ${burst}` && performance.now() < end) await sleep(2);
    if (seen !== `last ${burst}`) count += 1;
  }
  await files.close();
  rmSync(directory, { recursive: true });
  return count;
}
