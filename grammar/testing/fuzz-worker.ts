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
  /** The text that took longest so far, its beginning, and the processor time it took. */
  readonly slowest: { readonly text: string; readonly milliseconds: number };
  readonly finished: boolean;
}

const { kind, size } = workerData as {
  readonly kind: "mutations" | "hostile";
  /** How many texts, or how long each is. */
  readonly size: number;
};
const originals = validTexts.map(({ text }) => text);
const texts = kind === "hostile" ? hostileTexts(size) : mutations(originals, size, 42);

/** Messages after every text would cost more than reading does. */
const EVERY = kind === "hostile" ? 1 : 100;

let done = 0;
let slowest: Progress["slowest"] = { text: "", milliseconds: 0 };
for (const text of texts) {
  const before = process.threadCpuUsage();
  read(text);
  const { user, system } = process.threadCpuUsage(before);
  const milliseconds = (user + system) / 1000;
  if (milliseconds > slowest.milliseconds) slowest = { text: text.slice(0, 200), milliseconds };
  done += 1;
  if (done % EVERY === 0) say(false);
}
say(true);

function read(text: string): void {
  const source = { path: "x", text };
  const { diagnostics } = parse(source);
  render(diagnostics, new Map([[source.path, source]]));
  if (kind === "mutations" && diagnostics.length === 0) format(text);
}

function say(finished: boolean): void {
  parentPort?.postMessage({ done, slowest, finished } satisfies Progress);
}
