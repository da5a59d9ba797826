/** The log of `webhook`: `[webhook] 2026/01/31 12:00:00 [a1b2c3] what happened`, without secrets. */
import { randomBytes } from "node:crypto";
import { closeSync, openSync, writeSync } from "node:fs";
import { Mask } from "../../daemon/services/mask.js";
import { looksSecret } from "../../daemon/services/redact.js";

export interface LogOptions {
  readonly verbose: boolean;
  readonly debug: boolean;
  /** Empty: standard error. */
  readonly file: string;
}

export class WebhookLog {
  readonly verbose: boolean;
  readonly debug: boolean;
  /** Of hooks files. */
  secrets: ReadonlySet<string> = new Set();
  #mask = new Mask();
  #masked: ReadonlySet<string> = this.secrets;
  readonly #fd: number;

  /** @throws when the file cannot be opened. */
  constructor({ verbose, debug, file }: LogOptions) {
    this.debug = debug;
    this.verbose = verbose || debug || file !== "";
    this.#fd = file === "" ? 2 : openSync(file, "a", 0o666);
  }

  /** What happens; only for who wants to know. */
  say(message: string): void {
    if (this.verbose) this.#write(message);
  }

  /** What the operator has to know, however quiet the log is. */
  complain(message: string): void {
    this.#write(message);
  }

  /** Without time, for whole requests and answers. */
  dump(text: string): void {
    if (this.debug) writeSync(this.#fd, this.#clean(text));
  }

  /** Lines of one request. */
  request(id: string, extra: Iterable<string> = []): RequestLog {
    return new RequestLog(this, id, extra);
  }

  close(): void {
    if (this.#fd !== 2) closeSync(this.#fd);
  }

  #write(message: string): void {
    try {
      writeSync(this.#fd, `[webhook] ${stamp(new Date())} ${this.#clean(message)}\n`);
    } catch {
      // A log that cannot be written must not stop the hooks.
    }
  }

  #clean(text: string): string {
    if (this.#masked !== this.secrets) {
      this.#mask = new Mask();
      for (const secret of this.secrets) this.#mask.add(secret);
      this.#masked = this.secrets;
    }
    return this.#mask.text(text);
  }
}

export class RequestLog {
  readonly id: string;
  readonly #log: WebhookLog;
  readonly #mask = new Mask();

  /** `secrets`: what this request brought that nobody should read. */
  constructor(log: WebhookLog, id: string, secrets: Iterable<string>) {
    this.#log = log;
    this.id = id;
    for (const secret of secrets) this.#mask.add(secret);
  }

  get verbose(): boolean {
    return this.#log.verbose;
  }

  readonly say = (message: string): void => {
    if (this.#log.verbose) this.#log.say(`[${this.id}] ${this.#mask.text(message)}`);
  };

  readonly complain = (message: string): void =>
    this.#log.complain(`[${this.id}] ${this.#mask.text(message)}`);

  dump(direction: ">" | "<", lines: readonly string[]): void {
    if (!this.#log.debug) return;
    const text = lines.map((line) => `${direction} ${line}\n`).join("");
    this.#log.dump(this.#mask.text(text.replace(/^([<>]) /, `$1 [${this.id}] `)));
  }
}

/** Six characters. */
export const newId = (): string => randomBytes(3).toString("hex");

/** Values of headers and parameters whose names say that they are secret. */
export function secretsOf(fields: Iterable<readonly [string, unknown]>): readonly string[] {
  return [...fields].flatMap(([name, value]) => {
    if (!looksSecret(name) || typeof value !== "string") return [];
    const [, credential] = /^\S+ (\S{4,})$/.exec(value) ?? [];
    return credential === undefined ? [value] : [value, credential];
  });
}

function stamp(now: Date): string {
  const two = (part: number): string => String(part).padStart(2, "0");
  const date = [now.getFullYear(), two(now.getMonth() + 1), two(now.getDate())].join("/");
  return `${date} ${[now.getHours(), now.getMinutes(), now.getSeconds()].map(two).join(":")}`;
}
