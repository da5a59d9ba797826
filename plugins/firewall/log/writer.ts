/** Writes records to a directory: `access.log` in Squid's layout, `access.jsonl` with rules and processes. */
import {
  closeSync,
  constants,
  existsSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  renameSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { systemCode } from "../errors.js";
import type { AccessRecord } from "./entry.js";

export const accessLogName = "access.log";
export const jsonLogName = "access.jsonl";

/** The longest delay of a line, for followers. */
const flushMs = 50;
const mostWaiting = 200;

export interface WriterOptions {
  /** Bytes after which a file is renamed to `….1`. @default never */
  readonly limit?: number;
}

export class AccessLogWriter {
  readonly #directory: string;
  readonly #limit: number;
  #access: number;
  #json: number;
  #written: number;
  /** Bytes of the two files, if only this writes them. */
  #sizes: [number, number];
  /** Formatted only when written, after the client has its response. */
  #buffered: AccessRecord[] = [];
  #timer: NodeJS.Timeout | undefined;

  #lost = 0;
  #failure: string | undefined;

  /** Creates the directory. @throws the system's error if it is not writable */
  constructor(directory: string, { limit = Number.POSITIVE_INFINITY }: WriterOptions = {}) {
    makeDirectories(directory);
    this.#directory = directory;
    this.#limit = limit;
    this.#access = this.#open(accessLogName);
    this.#json = this.#open(jsonLogName);
    this.#sizes = this.#currentSizes();
    this.#written = this.#sizes[1];
  }

  write(record: AccessRecord): void {
    this.#buffered.push(record);
    if (this.#buffered.length >= mostWaiting) this.flush();
    else this.#timer ??= setTimeout(() => this.flush(), flushMs).unref();
  }

  /** Adds a line to `access.jsonl` that is no record. */
  note(value: object): void {
    this.flush();
    this.#sizes[1] += writeSync(
      this.#json,
      `${JSON.stringify(value).replace(unsafe, unicodeEscape)}\n`,
    );
  }

  /** Records that could not be written, and why. */
  get losses(): { readonly records: number; readonly reason: string | undefined } {
    return { records: this.#lost, reason: this.#failure };
  }

  /** Synchronous, so that no record is lost when the process ends. A full disk loses records, not the command. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#buffered.length === 0) return;
    const records = this.#buffered;
    this.#buffered = [];
    try {
      const lines = [accessLine, jsonLine].map((line) =>
        records.map((record) => `${line(record)}\n`).join(""),
      );
      this.#sizes[0] += writeSync(this.#access, lines[0] ?? "");
      const written = writeSync(this.#json, lines[1] ?? "");
      this.#sizes[1] += written;
      this.#written += written;
      if (this.#written > this.#limit) this.#rotate();
    } catch (thrown) {
      this.#lost += records.length;
      this.#failure ??= systemCode(thrown) ?? String(thrown);
    }
  }

  get files(): readonly string[] {
    return [accessLogName, jsonLogName].map((name) => join(this.#directory, name));
  }

  /** Whether another file, or none, is at the place of an open log, or something else wrote to it. */
  get isReplaced(): boolean {
    this.flush();
    const open = [this.#access, this.#json].map((descriptor) => fstatSync(descriptor));
    return this.files.some((path, index) => {
      const [found, file] = [statSync(path, { throwIfNoEntry: false }), open[index]];
      const isOther = found?.ino !== file?.ino;
      return isOther || (this.#lost === 0 && found?.isFile() && found.size !== this.#sizes[index]);
    });
  }

  close(): void {
    this.flush();
    closeSync(this.#access);
    closeSync(this.#json);
  }

  #currentSizes(): [number, number] {
    return [fstatSync(this.#access).size, fstatSync(this.#json).size];
  }

  /** Never through a link, which an earlier command may have left, except to a device. */
  #open(name: string): number {
    const path = join(this.#directory, name);
    const isLink = lstatSync(path, { throwIfNoEntry: false })?.isSymbolicLink() === true;
    const isDevice = isLink && statSync(path, { throwIfNoEntry: false })?.isCharacterDevice();
    const { O_WRONLY, O_APPEND, O_CREAT, O_NONBLOCK, O_NOFOLLOW } = constants;
    const flags = O_WRONLY | O_APPEND | O_CREAT | O_NONBLOCK | (isDevice ? 0 : O_NOFOLLOW);
    return openSync(path, flags, 0o644);
  }

  #rotate(): void {
    closeSync(this.#access);
    closeSync(this.#json);
    for (const name of [accessLogName, jsonLogName]) {
      renameSync(join(this.#directory, name), join(this.#directory, `${name}.1`));
    }
    this.#access = this.#open(accessLogName);
    this.#json = this.#open(jsonLogName);
    this.#written = 0;
    this.#sizes = this.#currentSizes();
  }
}

/** Step by step: Node's own way does not end in `/proc`. */
function makeDirectories(path: string): void {
  if (existsSync(path)) return;
  makeDirectories(dirname(path));
  mkdirSync(path);
}

/** `time client:port host dest:port version method status result url "agent"`, without a newline. */
export function accessLine(record: AccessRecord): string {
  const { timestamp, clientIp, clientPort, destIp, destPort, statusCode, decision } = record;
  const field = (text: string) => text.replace(/[^\x21-\x7e]/gu, percent) || "-";
  const agent = record.userAgent.replace(
    /[^\x20\x21\x23-\x5b\x5d-\x7e\xa0-\u2027\u202f-\u2065\u206a-\uffff]/g,
    percent,
  );
  return `${timestamp.toFixed(3)} ${clientIp}:${clientPort} ${field(record.host)} ${destIp}:${destPort} ${field(record.protocol)} ${field(record.method)} ${statusCode} ${decision} ${field(record.url)} "${agent}"`;
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, "0")}`)
    .join("");
}

/** Controls that JSON leaves as they are, and characters that change the direction of a line. */
const unsafe = /[\x7f-\x9f\u2028-\u202e\u2066-\u2069]/g;

export const unicodeEscape = (character: string): string =>
  `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;

/** The record with its decision as one JSON object. */
export function jsonLine({ requester, ...record }: AccessRecord): string {
  return JSON.stringify({ ...record, ...requester }).replace(unsafe, unicodeEscape);
}
