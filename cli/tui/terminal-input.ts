/** Keys of the terminal, without what it answers to questions: a late answer would be typed text. */
import { Transform, type TransformCallback } from "node:stream";
import { StringDecoder } from "node:string_decoder";
import { type MouseEvent, type MouseReports, withoutReports } from "./mouse.js";
import type { Rgb } from "./view/colours.js";

const ESC = "\u001b";
/** An OSC with a number, or a DCS. A terminal ends both with ST, some an OSC with BEL. */
const START = String.raw`${ESC}(?:\]\d+;|P[\d>!|+$])`;
const REPLY = new RegExp(String.raw`${START}[^\u0007${ESC}]*(?:\u0007|${ESC}\\)`, "g");
/** What may become one. It is bounded: keys are not held back for long. */
const PARTIAL = new RegExp(String.raw`(?:${START}[^\u0007${ESC}]{0,256}${ESC}?|${ESC}\]\d{1,3})$`);

/** The keys in a text, and its end where that may be the start of an answer. */
export function withoutReplies(text: string): { readonly keys: string; readonly held: string } {
  const rest = text.replace(REPLY, "");
  const at = rest.search(PARTIAL);
  return at < 0 ? { keys: rest, held: "" } : { keys: rest.slice(0, at), held: rest.slice(at) };
}

/** Stands between the terminal and Ink. */
export class TerminalInput extends Transform {
  readonly isTTY = true;
  readonly #source: NodeJS.ReadStream;
  readonly #mouse: MouseReports | undefined;
  readonly #listeners = new Set<(event: MouseEvent) => void>();
  readonly #decoder = new StringDecoder("utf8");
  #held = "";

  /** `mouse`: reports of the terminal, turned on from the first listener on. */
  constructor(source: NodeJS.ReadStream, mouse?: MouseReports) {
    super();
    this.#source = source;
    this.#mouse = mouse;
    source.pipe(this);
  }

  onMouse(listener: (event: MouseEvent) => void): void {
    this.#listeners.add(listener);
    this.#mouse?.on();
  }

  setRawMode(isRaw: boolean): this {
    this.#source.setRawMode(isRaw);
    return this;
  }

  ref(): this {
    this.#source.ref();
    return this;
  }

  unref(): this {
    this.#source.unref();
    return this;
  }

  /** Leaves all keys to another program, until `resumeKeys`. */
  pauseKeys(): void {
    this.#mouse?.off();
    this.#source.unpipe(this);
    this.#source.pause();
  }

  resumeKeys(): void {
    this.#source.pipe(this);
    if (this.#listeners.size > 0) this.#mouse?.on();
  }

  /** Lets the terminal go. */
  detach(): void {
    this.#mouse?.off();
    this.#source.unpipe(this);
    this.#source.pause();
    this.destroy();
  }

  #report(events: readonly MouseEvent[]): void {
    for (const event of events) for (const listener of this.#listeners) listener(event);
  }

  override _transform(chunk: Buffer | string, _: BufferEncoding, done: TransformCallback): void {
    const text = typeof chunk === "string" ? chunk : this.#decoder.write(chunk);
    const answered = withoutReplies(this.#held + text);
    const { keys, held, events } = withoutReports(answered.keys);
    this.#held = held + answered.held;
    // Keys before them in the same text come first.
    if (events.length > 0) setImmediate(() => this.#report(events));
    done(null, keys === "" ? undefined : keys);
  }
}

/** Milliseconds that an answer may take; every terminal answers the second question. */
const PATIENCE = 100;
const QUESTIONS = `${ESC}]11;?${ESC}\\${ESC}[c`;
const ATTRIBUTES = new RegExp(String.raw`${ESC}\[\?[\d;]*c`);
const BACKGROUND = new RegExp(String.raw`${ESC}\]11;rgba?:([\da-f]+)/([\da-f]+)/([\da-f]+)`, "i");

/** Asks the terminal for its background once, before anything else reads its keys. Keys are kept. */
export async function askBackground(
  { stdin, stdout }: Pick<NodeJS.Process, "stdin" | "stdout"> = process,
  patience = PATIENCE,
): Promise<Rgb | undefined> {
  const over = Promise.withResolvers<void>();
  const timer = setTimeout(over.resolve, patience);
  let text = "";
  const read = (chunk: Buffer | string): void => {
    text += chunk.toString();
    if (ATTRIBUTES.test(text)) over.resolve();
  };
  stdin.setRawMode(true);
  stdin.on("data", read);
  stdout.write(QUESTIONS);
  await over.promise;
  clearTimeout(timer);
  stdin.off("data", read);
  stdin.pause();
  stdin.setRawMode(false);
  const { keys, held } = withoutReplies(text.replace(ATTRIBUTES, ""));
  if (keys + held !== "") stdin.unshift(Buffer.from(keys + held));
  return colourOf(text);
}

/** Terminals answer with two or four digits for each part. */
function colourOf(answer: string): Rgb | undefined {
  const found = BACKGROUND.exec(answer);
  if (found === null) return undefined;
  const [red = 0, green = 0, blue = 0] = found
    .slice(1)
    .map((digits) => Math.round((Number.parseInt(digits, 16) / (16 ** digits.length - 1)) * 255));
  return [red, green, blue];
}
