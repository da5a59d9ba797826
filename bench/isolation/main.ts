/**
 * What each isolation costs: starting a plugin anew, a call over the border, requests that it answers, memory. The same
 * plugin in the same host. Prints one table: node dist/bench/isolation/main.js
 */
import { ISOLATIONS, type Probed, probe } from "../../daemon/host/testing/probed.js";
import type { Isolation } from "../../daemon/plugin-api/descriptor.js";
import { measure, requestOf } from "../hooks/requests.js";
import { residentMemory } from "../support/daemon.js";
import { median, print, quantile, type Row } from "../support/table.js";

const STARTS = 10;
const CALLS = 3_000;
const LOAD = { connections: 8, milliseconds: 3_000 };

const BARS: Readonly<Record<Isolation, string>> = {
  inline: "–",
  worker: "start ≤ 100 ms, call p50 ≤ 100 µs",
  process: "start ≤ 200 ms, call p50 ≤ 150 µs",
};

const rows: Row[] = [];
for (const isolation of ISOLATIONS) {
  const teardowns: Array<() => unknown> = [];
  const teardown = (work: () => unknown): void => void teardowns.push(work);
  const probed = await probe({ teardown }, isolation);
  try {
    rows.push({ what: isolation, result: await costsOf(probed), bar: BARS[isolation] });
  } finally {
    for (const work of teardowns.toReversed()) await work();
  }
}
print(rows, `Medians; ${CALLS} calls one after the other; ${LOAD.connections} connections.`);

async function costsOf(probed: Probed): Promise<string> {
  const { host } = probed.daemon;
  const starts = await times(STARTS, () => host.restart("probe"));
  const calls = await times(CALLS, () => host.panels());
  const address = await probed.address();
  const port = Number(address.slice(address.lastIndexOf(":") + 1));
  const { perSecond, latencies } = await measure(port, requestOf("GET", "/probe/reply"), LOAD);
  const pid = probed.daemon.status("probe")?.pid;
  return [
    `start ${median(starts).toFixed(0)} ms`,
    `call p50 ${micro(quantile(calls, 0.5))}, p99 ${micro(quantile(calls, 0.99))}`,
    `HTTP ${perSecond.toFixed(0)}/s, p99 ${quantile(latencies, 0.99).toFixed(1)} ms`,
    ...(pid === undefined ? [] : [`${residentMemory(pid).toFixed(0)} MiB of its own`]),
  ].join("; ");
}

function micro(milliseconds: number): string {
  return `${(milliseconds * 1000).toFixed(0)} µs`;
}

async function times(count: number, work: () => Promise<unknown>): Promise<readonly number[]> {
  const taken: number[] = [];
  for (let index = 0; index < count; index += 1) {
    const before = performance.now();
    await work();
    taken.push(performance.now() - before);
  }
  return taken;
}
