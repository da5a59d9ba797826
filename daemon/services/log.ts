/** The daemon's log: lines of JSON for machines, or of text for people, always without secrets. */
import { type DestinationStream, pino } from "pino";
import type { Fields, Log } from "../plugin-api/context.js";
import type { SecretMask, ServiceOptions } from "./contract.js";
import { inject, injectable, OPTIONS } from "./inject.js";
import { LogLines } from "./log-lines.js";
import { textLine } from "./log-text.js";
import { Mask } from "./mask.js";
import { redact, redactText } from "./redact.js";

type Level = ServiceOptions["logLevel"];

/** Characters of the texts in a line's fields. */
const longestFields = 32 * 1024;

const ranks: Readonly<Record<Level, number>> = { debug: 0, info: 1, warn: 2, error: 3 };

@injectable()
export class RootLog {
  readonly log: Log;
  readonly lines = new LogLines();
  #rank: number;
  readonly #write: Record<Level, (fields: Record<string, unknown>, message: string) => void>;
  readonly #mask: SecretMask;
  readonly #close: () => void;

  constructor(
    @inject(OPTIONS)
    { logLevel, logFormat, logStream }: Pick<ServiceOptions, `log${string}` & keyof ServiceOptions>,
    @inject(Mask) mask: SecretMask,
  ) {
    this.#rank = ranks[logLevel];
    this.#mask = mask;
    const { destination, close } = logStream ? streamTo(logStream) : standardError();
    this.#close = close;
    const lines = pino(
      {
        level: "debug",
        base: null,
        messageKey: "message",
        timestamp: pino.stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
      },
      logFormat === "json" ? destination : { write: (line) => destination.write(textLine(line)) },
    );
    this.#write = {
      debug: (fields, message) => lines.debug(fields, message),
      info: (fields, message) => lines.info(fields, message),
      warn: (fields, message) => lines.warn(fields, message),
      error: (fields, message) => lines.error(fields, message),
    };
    this.log = this.#with({}, {});
  }

  setLevel(level: Level): void {
    this.#rank = ranks[level];
  }

  /** A log whose lines always name the plugin. */
  scoped(plugin: string): Log {
    return this.#with({}, { plugin });
  }

  close(): void {
    this.#close();
  }

  /** `own` is the host's word and cannot be overruled by fields. */
  #with(bound: Fields, own: { readonly plugin?: string }): Log {
    const at =
      (level: Level) =>
      (message: string, fields?: Fields): void => {
        if (ranks[level] < this.#rank) return;
        const shown = unreserved(redact({ ...bound, ...fields }, this.#mask, longestFields));
        const text = redactText(String(message), this.#mask);
        this.#write[level]({ ...shown, ...own }, text);
        this.lines.push({ at: Date.now(), level, ...own, message: text, fields: shown as Fields });
      };
    return {
      debug: at("debug"),
      info: at("info"),
      warn: at("warn"),
      error: at("error"),
      child: (fields) => this.#with({ ...bound, ...fields }, own),
    };
  }
}

/** A line has each name once. */
function unreserved(fields: Record<string, unknown>): Record<string, unknown> {
  for (const name of ["level", "time", "message"]) {
    if (!(name in fields)) continue;
    fields[`${name}_`] = fields[name];
    delete fields[name];
  }
  return fields;
}

interface Destination {
  readonly destination: DestinationStream;
  readonly close: () => void;
}

/** A closed log stream must not stop the daemon. */
const ignore = (): void => undefined;

function streamTo(stream: NodeJS.WritableStream): Destination {
  stream.on("error", ignore);
  return {
    destination: { write: (line) => void stream.write(line) },
    close: () => void stream.removeListener("error", ignore),
  };
}

function standardError(): Destination {
  const destination = pino.destination({ dest: 2, sync: true });
  destination.on("error", ignore);
  return {
    destination,
    close: () => {
      try {
        destination.flushSync();
      } catch {
        // The stream is closed.
      }
    },
  };
}
