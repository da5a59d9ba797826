/**
 * Settings: from a save to the event that tells of it, with one file and with 10,000; bursts of saves; what the proxy costs a
 * message; and the check of 10,000 files. Prints one table: node dist/bench/settings/main.js [--rounds 5] [--only one|many|bursts|proxy|check]
 */
import { parseArgs } from "node:util";
import { median, print, quantile, type Row } from "../support/table.js";
import { staleAfterBursts } from "./bursts.js";
import { checkMany } from "./check.js";
import { bareRead, latencyOfOne, manyFiles } from "./delivery.js";
import { proxyOverhead, throughProxy } from "./proxy.js";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
  },
});
const rounds = Number(values.rounds);

const ms = (milliseconds: number): string => `${milliseconds.toFixed(2)} ms`;
const p50p99 = (all: readonly number[]): string =>
  `p50 ${ms(quantile(all, 0.5))}, p99 ${ms(quantile(all, 0.99))}`;

async function one(): Promise<readonly Row[]> {
  return [
    {
      what: "save → effective change delivered (1 file), after debounce",
      result: p50p99(await latencyOfOne()),
      bar: "p50 ≤ 5 ms, p99 ≤ 15 ms",
    },
  ];
}

async function many(): Promise<readonly Row[]> {
  const bare = ms(median(bareRead(rounds)));
  const rowsOf = async (
    which: string,
    contentOf: (file: number) => string,
  ): Promise<readonly Row[]> => {
    const { memory, ready, latencies } = await manyFiles(contentOf, rounds);
    return [
      { what: `${which}: memory over idle`, result: `${memory.toFixed(0)} MiB`, bar: "≤ 40 MB" },
      {
        what: `${which}: ready`,
        result: `${ms(median(ready))} (bare list and read of the same files: ${bare})`,
        bar: "≤ 200 ms",
      },
      {
        what: `${which}: save → event, after debounce`,
        result: p50p99(latencies),
        bar: "p99 ≤ 5 ms",
      },
    ];
  };
  return [
    ...(await rowsOf("10,000 watched files", () => '{"warn_style": false}')),
    ...(await rowsOf(
      "10,000 watched files, no two the same",
      (file) => `{"warn_style": false, "global_cache_path": "/${file}"}`,
    )),
  ];
}

async function bursts(): Promise<readonly Row[]> {
  return (await staleAfterBursts()).map(({ how, gap, stale, bursts: count }) => ({
    what: `stale consumers after ${count} bursts ${how}, ${gap} ms apart`,
    result: String(stale),
    bar: "0",
  }));
}

async function proxy(): Promise<readonly Row[]> {
  const overhead = await proxyOverhead();
  const through = await throughProxy();
  return [
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
  ];
}

async function check(): Promise<readonly Row[]> {
  return [{ what: "check of 10,000 zls.json files", result: ms(await checkMany()), bar: "≤ 2 s" }];
}

const rows: Row[] = [];
for (const [name, measure] of Object.entries({ one, many, bursts, proxy, check })) {
  if (name.includes(values.only)) rows.push(...(await measure()));
}

print(
  rows,
  "A daemon, a proxy and a server of their own processes; the start of the program is part of the check. " +
    "200 saves for each row of times, after 100 that are not counted.",
);
