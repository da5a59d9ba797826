/** Tries inputs one after another in a thread, because a hanging parser cannot report itself. */
import { parentPort, workerData } from "node:worker_threads";
import { attemptHello } from "./hello-under-fuzz.js";
import { Http2UnderFuzz } from "./http2-under-fuzz.js";
import { ProxyUnderFuzz } from "./proxy-under-fuzz.js";

export interface FuzzOrder {
  readonly what: "http" | "hello" | "http2";
  readonly seed: number;
  /** The first input's number, and how many. */
  readonly from: number;
  readonly inputs: number;
  /** Real connections instead of connections in memory; ten times slower. */
  readonly network?: boolean;
}

export interface FuzzProgress {
  /** The number of the current input. */
  readonly at: number;
  readonly found: ReadonlyArray<{ readonly input: number; readonly what: string }>;
  readonly statuses: ReadonlyArray<readonly [status: number, times: number]>;
  readonly finished: boolean;
}

const order = workerData as FuzzOrder;
const found: Array<{ input: number; what: string }> = [];
const statuses = new Map<number, number>();
/** A few examples of a fault are enough. */
const mostFound = 20;
const reportEvery = 500;

let at = order.from;
const report = (finished: boolean) =>
  parentPort?.postMessage({ at, found, statuses: [...statuses], finished } satisfies FuzzProgress);
const note = (what: string) => {
  if (found.length < mostFound) found.push({ input: at, what });
};
const crashed = (thrown: unknown) =>
  note(`thrown: ${thrown instanceof Error ? thrown.stack : String(thrown)}`);
process.on("uncaughtException", crashed);
process.on("unhandledRejection", crashed);

const proxy = await underFuzz();
for (const end = order.from + order.inputs; at < end; at += 1) {
  if (at % reportEvery === 0) report(false);
  const complaints = proxy ? await proxy.attempt(order.seed, at) : attemptHello(order.seed, at);
  for (const complaint of complaints) note(complaint);
}
await proxy?.close();
for (const [status, times] of proxy?.statuses ?? []) statuses.set(status, times);
report(true);

async function underFuzz(): Promise<ProxyUnderFuzz | Http2UnderFuzz | undefined> {
  if (order.what === "http2") return Http2UnderFuzz.start();
  if (order.what === "hello") return undefined;
  const whole = new ProxyUnderFuzz();
  if (order.network) await whole.listen();
  return whole;
}
