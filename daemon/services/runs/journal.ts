/**
 * What became of runs, in the order in which it did, until it is in the database: lines at the end of a file, which are there when the call
 * returns, whatever becomes of the daemon. A file that has grown is followed by another, and deleted once nothing in it is needed.
 */
import {
  closeSync,
  ftruncateSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { decodeChange, encodeChange, type RunChange } from "./run-change.js";

/** Bytes after which another file is begun. */
const longest = 1024 * 1024;
const nameOf = (number: number): string => `runs-${number}.journal`;

export class Journal {
  readonly #directory: string;
  #number: number;
  #file: number | undefined;
  #length = 0;
  /** The numbers of files that are no longer written. */
  #earlier: number[];

  constructor(directory: string) {
    this.#directory = directory;
    this.#earlier = readdirSync(directory)
      .flatMap((name) => /^runs-(\d+)\.journal$/.exec(name)?.[1] ?? [])
      .map(Number)
      .sort((a, b) => a - b);
    this.#number = (this.#earlier.at(-1) ?? 0) + 1;
  }

  /** What an earlier daemon has left. */
  *left(): Iterable<RunChange> {
    for (const number of this.#earlier) {
      const text = readFileSync(this.#pathOf(number), "utf8");
      const lines = text.split("\n");
      // What stands behind the last end of a line was not written to its end.
      for (const line of lines.slice(0, -1)) {
        const change = decodeChange(line);
        if (change) yield change;
      }
    }
  }

  /** @throws an error of the operating system when it cannot be written; then nothing is */
  append(change: RunChange): void {
    this.#file ??= openSync(this.#pathOf(this.#number), "w", 0o600);
    const line = Buffer.from(encodeChange(change));
    const written = writeSync(this.#file, line, 0, line.length, this.#length);
    // The next line takes its place.
    if (written < line.length) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    this.#length += written;
  }

  get isLong(): boolean {
    return this.#length >= longest;
  }

  /** Whether there are files that are no longer written. */
  get hasEarlier(): boolean {
    return this.#earlier.length > 0;
  }

  /** Goes on in another file. */
  turn(): void {
    this.#closeFile();
    this.#earlier.push(this.#number);
    this.#number += 1;
    this.#length = 0;
  }

  /** Everything before the last `turn` is in the database. */
  forgetEarlier(): void {
    for (const number of this.#earlier) rmSync(this.#pathOf(number), { force: true });
    this.#earlier = [];
  }

  /** Everything is. */
  forget(): void {
    this.forgetEarlier();
    if (this.#file === undefined || this.#length === 0) return;
    ftruncateSync(this.#file);
    this.#length = 0;
  }

  close(): void {
    this.#closeFile();
    if (this.#length === 0) rmSync(this.#pathOf(this.#number), { force: true });
  }

  #closeFile(): void {
    if (this.#file !== undefined) closeSync(this.#file);
    this.#file = undefined;
  }

  #pathOf(number: number): string {
    return join(this.#directory, nameOf(number));
  }
}
