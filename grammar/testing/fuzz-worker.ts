/** Reads, renders and formats texts one after the other, and says after each how far it is. */
import { parentPort, workerData } from "node:worker_threads";
import { format } from "../format.js";
import { parse } from "../parse.js";
import { render } from "../render.js";
import { hostileTexts } from "./hostile.js";
import { mutations } from "./mutations.js";
import { validTexts } from "./texts.js";

export interface Progress {
  readonly done: number;
  /** The beginning of the text that was read last. */
  readonly text: string;
  readonly finished: boolean;
}

const { kind } = workerData as { readonly kind: "mutations" | "hostile" };
const originals = validTexts.map(({ text }) => text);
const texts = kind === "hostile" ? hostileTexts : mutations(originals, 20_000, 42);

/** Messages after every text would cost more than reading does. */
const EVERY = kind === "hostile" ? 1 : 100;

let done = 0;
for (const text of texts) {
  const source = { path: "x", text };
  const { diagnostics } = parse(source);
  render(diagnostics, new Map([[source.path, source]]));
  if (kind === "mutations" && diagnostics.length === 0) format(text);
  done += 1;
  if (done % EVERY === 0) say(text, false);
}
say("(the last)", true);

function say(text: string, finished: boolean): void {
  parentPort?.postMessage({ done, text: text.slice(0, 1000), finished } satisfies Progress);
}
