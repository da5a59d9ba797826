/**
 * Settings: from a save to the event that tells of it, with one file and with 10,000; bursts of saves; what the proxy costs a
 * message; and the check of 10,000 files. Prints one table: node dist/bench/settings/main.js
 */
import { print, quantile, type Row } from "../support/table.js";
import { staleAfterBursts } from "./bursts.js";
import { checkMany } from "./check.js";
import { latencyOfOne, manyFiles } from "./delivery.js";
import { proxyOverhead, throughProxy } from "./proxy.js";

const ms = (milliseconds: number): string => `${milliseconds.toFixed(2)} ms`;
const p50p99 = (all: readonly number[]): string =>
  `p50 ${ms(quantile(all, 0.5))}, p99 ${ms(quantile(all, 0.99))}`;

const one = await latencyOfOne();
const many = await manyFiles();
const bursts = await staleAfterBursts();
const overhead = await proxyOverhead();
const through = await throughProxy();
const checked = await checkMany();

const rows: readonly Row[] = [
  {
    what: "save → effective change delivered (1 file), after debounce",
    result: p50p99(one),
    bar: "p50 ≤ 5 ms, p99 ≤ 15 ms",
  },
  {
    what: "10,000 watched files: memory over idle",
    result: `${many.memory.toFixed(0)} MiB`,
    bar: "≤ 40 MB",
  },
  { what: "10,000 watched files: ready", result: ms(many.ready), bar: "≤ 200 ms" },
  {
    what: "10,000 watched files: save → event, after debounce",
    result: p50p99(many.latencies),
    bar: "p99 ≤ 5 ms",
  },
  ...bursts.map(({ how, gap, stale, bursts: count }) => ({
    what: `stale consumers after ${count} bursts ${how}, ${gap} ms apart`,
    result: String(stale),
    bar: "0",
  })),
  {
    what: "proxy overhead per message (two ways)",
    result: p50p99(overhead),
    bar: "p50 ≤ 0.1 ms",
  },
  {
    what: "50 MB through the proxy",
    result: `${through.unchanged ? "unchanged" : "CHANGED"} in ${ms(through.duration)}`,
    bar: "unchanged",
  },
  { what: "check of 10,000 zls.json files", result: ms(checked), bar: "≤ 2 s" },
];

print(
  rows,
  "A daemon, a proxy and a server of their own processes; the start of the program is part of the check.",
);
