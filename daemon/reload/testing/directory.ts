/** What the tests of this room share: real files, a real clock, a log that can be read. */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { ExecutionContext } from "ava";
import { within } from "../../../tests/support/eventually.js";
import { folder } from "../../../tests/support/folder.js";
import type { Fields, Log } from "../../plugin-api/context.js";

/** A directory with these files, gone after the test. */
export function directoryWith(
  t: ExecutionContext,
  files: Readonly<Record<string, string>> = {},
): string {
  return folder(t, files);
}

export function write(directory: string, files: Readonly<Record<string, string>>): void {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
}

export interface Line {
  readonly level: keyof Omit<Log, "child">;
  readonly message: string;
  readonly fields: Fields;
}

export function recordingLog(lines: Line[] = [], base: Fields = {}): Log & { lines: Line[] } {
  const at =
    (level: Line["level"]) =>
    (message: string, fields: Fields = {}): void => {
      lines.push({ level, message, fields: { ...base, ...fields } });
    };
  return {
    lines,
    debug: at("debug"),
    info: at("info"),
    warn: at("warn"),
    error: at("error"),
    child: (fields) => recordingLog(lines, { ...base, ...fields }),
  };
}

/** Collects events in order, so that a test can wait for them. */
export class EventRecorder<Item> {
  readonly items: Item[] = [];
  #waiting: (() => void)[] = [];

  readonly add = (item: Item): void => {
    this.items.push(item);
    for (const wake of this.#waiting.splice(0)) wake();
  };

  /** The first item from index `from` on that satisfies the condition, as soon as there is one. */
  find(holds: (item: Item) => boolean, from = 0): Promise<Item> {
    return within(`an item that fits ${holds}`, this.#found(holds, from));
  }

  async #found(holds: (item: Item) => boolean, from: number): Promise<Item> {
    for (;;) {
      const found = this.items.slice(from).find(holds);
      if (found !== undefined) return found;
      await new Promise<void>((wake) => this.#waiting.push(wake));
    }
  }

  /** The item after those that are there already. */
  next(): Promise<Item> {
    return this.find(() => true, this.items.length);
  }
}
