/** For tests of how runs end: what is left of one, and when it has begun. */
import { once } from "node:events";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { fileURLToPath } from "node:url";
import type { StartedProgram } from "../testing/test-internet.js";

export const awf = fileURLToPath(new URL("../../../cli/awf.js", import.meta.url));

/** A word that only this run's processes have on their command line. */
let last = 0;
export function uniqueWord(): string {
  last += 1;
  return `awf-ending-${process.pid}-${last}`;
}

/** Processes whose command line has the word. */
function processesWith(word: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, "utf8").includes(word);
      } catch {
        return false;
      }
    });
}

async function until(condition: () => boolean): Promise<void> {
  while (!condition()) await sleep(20);
}

/** Resolves when no process of the run is left. */
export async function nothingLeft(word: string): Promise<void> {
  await until(() => processesWith(word).length === 0);
}

/** Resolves when the command has written the text. */
export async function outputOf({ child }: StartedProgram, text: string): Promise<void> {
  let seen = "";
  while (!seen.includes(text)) {
    const [data] = await once(child.stdout as NodeJS.ReadableStream, "data");
    seen += String(data);
  }
}
