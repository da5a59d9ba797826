/** awf's messages: on stderr, each line marked with its level. stdout belongs to the command. */

export const logLevels = ["debug", "info", "warn", "error"] as const;
export type LogLevel = (typeof logLevels)[number];

type Mark = "DEBUG" | "INFO" | "WARN" | "ERROR" | "SUCCESS";

const marks: Readonly<Record<Mark, { readonly level: LogLevel; readonly colour: number }>> = {
  DEBUG: { level: "debug", colour: 90 },
  INFO: { level: "info", colour: 34 },
  WARN: { level: "warn", colour: 33 },
  ERROR: { level: "error", colour: 31 },
  SUCCESS: { level: "info", colour: 32 },
};

export interface MessageSink {
  readonly isTTY?: boolean;
  write(text: string): unknown;
}

export class Messages {
  readonly #sink: MessageSink;
  readonly #threshold: number;
  readonly #json: boolean;

  constructor(
    level: LogLevel = "info",
    { json = false, sink = process.stderr }: { json?: boolean; sink?: MessageSink } = {},
  ) {
    this.#sink = sink;
    this.#json = json;
    this.#threshold = logLevels.indexOf(level);
  }

  debug(text: string): void {
    this.#say("DEBUG", text);
  }

  info(text: string): void {
    this.#say("INFO", text);
  }

  warn(text: string): void {
    this.#say("WARN", text);
  }

  success(text: string): void {
    this.#say("SUCCESS", text);
  }

  error(text: string): void {
    this.#say("ERROR", text);
  }

  /** Without a mark, at every level. */
  plain(text: string): void {
    if (!this.#json) this.#sink.write(`${text}\n`);
  }

  /** At every level: the line, or its data with `--json`. */
  announce(text: string, data: object): void {
    if (this.#json) this.object(data);
    else this.plain(text);
  }

  /** One line of JSON, at every level. */
  object(value: object): void {
    this.#sink.write(`${JSON.stringify(value)}\n`);
  }

  #say(mark: Mark, text: string): void {
    const { level, colour } = marks[mark];
    if (logLevels.indexOf(level) < this.#threshold) return;
    if (this.#json) {
      this.object({ level: mark.toLowerCase(), message: text });
      return;
    }
    const coloured = this.#sink.isTTY === true && process.env.NO_COLOR === undefined;
    for (const line of text.split("\n")) {
      const prefix = coloured ? `\u001b[${colour}m[${mark}]\u001b[0m` : `[${mark}]`;
      this.#sink.write(`${prefix} ${line}\n`);
    }
  }
}
