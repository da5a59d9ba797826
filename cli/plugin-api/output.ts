/** Where a command writes: data on standard output, words beside it on standard error. */
import { paintBasic, type Style } from "./roles.js";

export type { Style } from "./roles.js";

type Environment = Readonly<Record<string, string | undefined>>;

/** What `Output` needs of a stream; `process.stdout` is one. */
export interface Stream {
  readonly isTTY?: boolean | undefined;
  readonly columns?: number | undefined;
  write(text: string): unknown;
}

/** One of the two streams, and whether it is a terminal. */
export class Channel {
  readonly isTerminal: boolean;
  readonly colour: boolean;
  /** Columns of the terminal; 80 where unknown. */
  readonly columns: number;
  readonly #stream: Stream;

  constructor(stream: Stream, environment: Environment) {
    this.#stream = stream;
    this.isTerminal = stream.isTTY === true;
    this.colour = wantsColour(this.isTerminal, environment);
    this.columns = stream.columns || Number(environment.COLUMNS) || 80;
  }

  /** Writes the text as it stands. */
  write(text: string): void {
    this.#stream.write(text);
  }

  line(text = ""): void {
    this.#stream.write(`${text}\n`);
  }

  /** The text in a style, where colours are wanted. Never the only bearer of a meaning. */
  readonly paint = (style: Style, text: string): string =>
    this.colour ? paintBasic(style, text) : text;
}

export interface Output {
  /** What was asked for, and nothing else. */
  readonly out: Channel;
  /** Everything else that a person may want to know. */
  readonly err: Channel;
  /** One value, readable by programs and people, with a line end. */
  json(value: unknown): void;
}

export function createOutput(out: Stream, err: Stream, environment: Environment): Output {
  const channel = new Channel(out, environment);
  return {
    out: channel,
    err: new Channel(err, environment),
    json: (value) => channel.line(JSON.stringify(value, undefined, 2)),
  };
}

/** `FORCE_COLOR` outweighs `NO_COLOR`, and both outweigh what the terminal is. */
function wantsColour(isTerminal: boolean, environment: Environment): boolean {
  const { FORCE_COLOR, NO_COLOR, TERM } = environment;
  if (FORCE_COLOR !== undefined) return FORCE_COLOR !== "0" && FORCE_COLOR !== "false";
  if (NO_COLOR) return false;
  return isTerminal && TERM !== "dumb";
}
