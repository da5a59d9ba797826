/** A place outside the main thread where a plugin's code runs: what the worker and the process have in common. */
import type { Readable } from "node:stream";
import { setTimeout } from "node:timers/promises";
import type { Permissions } from "../../plugin-api/descriptor.js";
import type { Port } from "./peer.js";

export interface CarrierOptions {
  /** The module that is run there. */
  readonly entry: URL;
  /** For people: the plugin's id. */
  readonly name: string;
  /** Directories and files its code is read from. */
  readonly code: readonly string[];
  /** Mebibytes of JavaScript heap. @default 256 */
  readonly heap?: number;
  /** What it may touch; enforced in a process, where nothing else is possible. */
  readonly permissions: Permissions;
  /** Directories of its own that it may read and write. */
  readonly own: readonly string[];
  /** What it prints, in lines. */
  print(stream: "stdout" | "stderr", line: string): void;
}

export interface Carrier {
  readonly port: Port;
  readonly pid: number | undefined;
  /** Resolves with why, a sentence without its subject ("ran out of memory"), once nothing of it runs any more. */
  readonly gone: Promise<string>;
  /** Ends it whatever it does. Resolves when it is gone. */
  terminate(): Promise<void>;
  /** Lets this process end although the carrier is there. */
  unref(): void;
}

export const DEFAULT_HEAP = 256;

/** Lines that are printed in an interval before the stream has to wait. */
const LINES = 100;
/** Milliseconds. */
const INTERVAL = 100;

/** Gives a stream's lines to `print`, at most 1,000 a second; the writer then waits. Longer lines than 8 KiB come in parts. */
export async function printLines(
  stream: Readable | null,
  print: (line: string) => void,
): Promise<void> {
  if (stream === null) return;
  let began = performance.now();
  let count = 0;
  for await (const line of linesOf(stream)) {
    print(line);
    count += 1;
    if (count < LINES) continue;
    const early = began + INTERVAL - performance.now();
    if (early > 0) await setTimeout(early, undefined, { ref: false });
    began = performance.now();
    count = 0;
  }
}

/** Characters. */
const LONGEST = 8192;

async function* linesOf(stream: Readable): AsyncGenerator<string> {
  let rest = "";
  stream.setEncoding("utf8");
  try {
    for await (const chunk of stream) {
      const lines = (rest + chunk).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) yield* partsOf(line);
      while (rest.length > LONGEST) {
        yield rest.slice(0, LONGEST);
        rest = rest.slice(LONGEST);
      }
    }
  } catch {
    // The plugin ended while it was printing.
  }
  if (rest !== "") yield rest;
}

function* partsOf(line: string): Generator<string> {
  for (let at = 0; at === 0 || at < line.length; at += LONGEST) yield line.slice(at, at + LONGEST);
}

const ALWAYS = ["PATH", "HOME", "LANG", "LC_ALL", "TZ", "TMPDIR", "NODE_ENV", "NO_COLOR"];

/** What the plugin sees of the daemon's environment: what everything needs, and what it declares. */
export function environmentFor(
  { env }: Permissions,
  environment: NodeJS.ProcessEnv,
): Record<string, string> {
  const names = env === true ? Object.keys(environment) : [...ALWAYS, ...(env ?? [])];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = environment[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
