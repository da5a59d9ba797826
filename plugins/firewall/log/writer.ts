/** Writes records to a directory: `access.log` for every reader there is, `access.jsonl` with what decided. */
import { closeSync, mkdirSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { AccessRecord } from "./entry.js";
import { accessLine, jsonLine } from "./format.js";

export const accessLogName = "access.log";
export const jsonLogName = "access.jsonl";

/** Lines wait at most this long, so that a follower sees them soon. */
const flushMs = 50;
const flushBytes = 64 * 1024;

export class AccessLogWriter {
  readonly #access: number;
  readonly #json: number;
  #lines = "";
  #objects = "";
  #timer: NodeJS.Timeout | undefined;

  /** Makes the directory. @throws what the system says when it cannot be written. */
  constructor(directory: string) {
    mkdirSync(directory, { recursive: true });
    this.#access = openSync(join(directory, accessLogName), "a", 0o644);
    this.#json = openSync(join(directory, jsonLogName), "a", 0o644);
  }

  write(record: AccessRecord): void {
    this.#lines += `${accessLine(record)}\n`;
    this.#objects += `${jsonLine(record)}\n`;
    if (this.#lines.length > flushBytes) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  /** Synchronous: a record must not be lost because the process ends. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#lines === "") return;
    writeSync(this.#access, this.#lines);
    writeSync(this.#json, this.#objects);
    this.#lines = "";
    this.#objects = "";
  }

  close(): void {
    this.flush();
    closeSync(this.#access);
    closeSync(this.#json);
  }
}
