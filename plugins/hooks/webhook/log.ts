/** The log of `webhook`: `[webhook] 2026/01/31 12:00:00 [a1b2c3] message`, without secrets. */
import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import type { WriteNote } from "../compat/request/file-request.js";
import type { RequestView } from "../server/request-view.js";
import type { TextMask, WebhookHost } from "./host.js";

export interface LogOptions {
  readonly verbose: boolean;
  readonly debug: boolean;
  /** Empty: standard error. */
  readonly file: string;
}

export class WebhookLog {
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly host: WebhookHost;
  readonly #fd: number;
  #mask: TextMask;

  /** @throws when the file cannot be opened */
  constructor({ verbose, debug, file }: LogOptions, host: WebhookHost) {
    this.debug = debug;
    this.verbose = verbose || debug || file !== "";
    this.host = host;
    this.#mask = host.createMask();
    this.#fd = file === "" ? 2 : openSync(file, "a", 0o666);
  }

  /** Of the hooks files. */
  set secrets(secrets: Iterable<string>) {
    this.#mask = this.host.createMask();
    for (const secret of secrets) this.#mask.add(secret);
  }

  /** With `-verbose`. */
  say(message: string): void {
    if (this.verbose) this.complain(message);
  }

  /** Even without `-verbose`. */
  complain(message: string): void {
    try {
      writeSync(this.#fd, `[webhook] ${stamp(new Date())} ${this.#mask.text(message)}\n`);
    } catch {
      // A log that cannot be written must not stop the hooks.
    }
  }

  /** With `-debug`, without a time. */
  dump(text: string): void {
    if (this.debug) writeSync(this.#fd, this.#mask.text(text));
  }

  request(request: RequestView, ids: { readonly limit: number } | undefined): RequestLog {
    return new RequestLog(this, request, ids);
  }

  close(): void {
    if (this.#fd !== 2) closeSync(this.#fd);
  }
}

/** The lines of one request. Its id and mask are made with the first line. */
export class RequestLog {
  readonly verbose: boolean;
  readonly debug: boolean;
  readonly #log: WebhookLog;
  readonly #request: RequestView;
  readonly #ids: { readonly limit: number } | undefined;
  #made: { readonly id: string; readonly mask: TextMask } | undefined;

  constructor(log: WebhookLog, request: RequestView, ids: { readonly limit: number } | undefined) {
    this.verbose = log.verbose;
    this.debug = log.debug;
    this.#log = log;
    this.#request = request;
    this.#ids = ids;
  }

  readonly say: WriteNote = (message, of) => {
    if (!this.verbose) return;
    if (of === "server") this.#log.complain(message);
    else this.complain(message);
  };

  readonly complain = (message: string): void => {
    const { id, mask } = this.#made ?? this.#make();
    this.#log.complain(`[${id}] ${mask.text(message)}`);
  };

  /** `lines` start with their blank, if they have one. */
  dump(direction: ">" | "<", lines: () => readonly string[]): void {
    if (!this.#log.debug) return;
    const { id, mask } = this.#made ?? this.#make();
    const text = lines()
      .map((line) => `${direction} [${id}]${line}\n`)
      .join("");
    this.#log.dump(mask.text(text));
  }

  #make(): { readonly id: string; readonly mask: TextMask } {
    const { headers, query } = this.#request;
    const { createMask, looksSecret } = this.#log.host;
    const mask = createMask();
    for (const [name, value] of [...Object.entries(headers), ...new URLSearchParams(query)]) {
      if (!this.verbose || typeof value !== "string" || !looksSecret(name)) continue;
      mask.add(value);
      const [, credential] = /^\S+ (\S{4,})$/.exec(value) ?? [];
      if (credential !== undefined) mask.add(credential);
    }
    this.#made = { id: this.#givenId() ?? randomBytes(3).toString("hex"), mask };
    return this.#made;
  }

  #givenId(): string | undefined {
    const given = this.#ids && this.#request.headers["x-request-id"];
    if (typeof given !== "string" || given === "") return undefined;
    const plain = Buffer.from(given.replace(/[^\x21-\x7e]/g, ""));
    return plain.subarray(0, this.#ids?.limit || undefined).toString();
  }
}

function stamp(now: Date): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  const date = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join("/");
  return `${date} ${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(":")}`;
}

/** In the form of the existing server: `28 B`, `2.1 KiB`. */
export function bytes(count: number): string {
  if (count < 10) return `${count} B`;
  const power = Math.min(4, Math.floor(Math.log2(count) / 10));
  const value = Math.floor((count / 1024 ** power) * 10 + 0.5) / 10;
  const unit = ["B", "KiB", "MiB", "GiB", "TiB"][power];
  return power > 0 && value < 10 ? `${value.toFixed(1)} ${unit}` : `${value.toFixed(0)} ${unit}`;
}

/** In the form of the existing server: `1.625666ms`, `12.5µs`, `2.000000001s`. */
export function elapsed(milliseconds: number): string {
  const count = Math.round(milliseconds * 1_000_000);
  if (count < 1000) return `${count}ns`;
  if (count < 1_000_000) return `${count / 1000}µs`;
  if (count < 1_000_000_000) return `${count / 1_000_000}ms`;
  const minutes = Math.floor(count / 60_000_000_000);
  const seconds = (count - minutes * 60_000_000_000) / 1_000_000_000;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}
