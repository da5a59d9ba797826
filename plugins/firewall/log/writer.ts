/** Writes records to a directory: `access.log` for every reader there is, `access.jsonl` with what decided. */
import { closeSync, fstatSync, mkdirSync, openSync, renameSync, writeSync } from "node:fs";
import { join } from "node:path";
import type { AccessRecord } from "./entry.js";

export const accessLogName = "access.log";
export const jsonLogName = "access.jsonl";

/** Lines wait at most this long, so that a follower sees them soon. */
const flushMs = 50;
const mostWaiting = 200;

export interface WriterOptions {
  /** Bytes after which a file is put aside as `….1`, in the place of the one before. @default never */
  readonly limit?: number;
}

export class AccessLogWriter {
  readonly #directory: string;
  readonly #limit: number;
  #access: number;
  #json: number;
  #written: number;
  /** Put into words only when they are written: by then whoever asked has the answer. */
  #waiting: AccessRecord[] = [];
  #timer: NodeJS.Timeout | undefined;

  /** Makes the directory. @throws what the system says when it cannot be written. */
  constructor(directory: string, { limit = Number.POSITIVE_INFINITY }: WriterOptions = {}) {
    mkdirSync(directory, { recursive: true });
    this.#directory = directory;
    this.#limit = limit;
    this.#access = this.#open(accessLogName);
    this.#json = this.#open(jsonLogName);
    this.#written = fstatSync(this.#json).size;
  }

  write(record: AccessRecord): void {
    this.#waiting.push(record);
    if (this.#waiting.length >= mostWaiting) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  /** Synchronous: a record must not be lost because the process ends. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#waiting.length === 0) return;
    const records = this.#waiting;
    this.#waiting = [];
    writeSync(this.#access, records.map((record) => `${accessLine(record)}\n`).join(""));
    this.#written += writeSync(
      this.#json,
      records.map((record) => `${jsonLine(record)}\n`).join(""),
    );
    if (this.#written > this.#limit) this.#putAside();
  }

  close(): void {
    this.flush();
    closeSync(this.#access);
    closeSync(this.#json);
  }

  #open(name: string): number {
    return openSync(join(this.#directory, name), "a", 0o644);
  }

  #putAside(): void {
    closeSync(this.#access);
    closeSync(this.#json);
    for (const name of [accessLogName, jsonLogName]) {
      renameSync(join(this.#directory, name), join(this.#directory, `${name}.1`));
    }
    this.#access = this.#open(accessLogName);
    this.#json = this.#open(jsonLogName);
    this.#written = 0;
  }
}

/** `time client:port host dest:port version method status result url "agent"`; no newline at the end. */
export function accessLine(record: AccessRecord): string {
  const { timestamp, clientIp, clientPort, destIp, destPort, statusCode, decision } = record;
  const field = (text: string) => text.replace(/[^\x21-\x7e]/gu, percent) || "-";
  // biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is looked for.
  const agent = record.userAgent.replace(/[\x00-\x1f"\\\x7f]/g, percent);
  return `${timestamp.toFixed(3)} ${clientIp}:${clientPort} ${field(record.host)} ${destIp}:${destPort} ${field(record.protocol)} ${field(record.method)} ${statusCode} ${decision} ${field(record.url)} "${agent}"`;
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

/** The same and what decided, as one JSON object. */
export function jsonLine({ requester, ...record }: AccessRecord): string {
  return JSON.stringify({ ...record, ...requester });
}
