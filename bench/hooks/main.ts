/**
 * What a hook costs: beside `webhook`, where this machine has it (Debian's package of that name), and beside a server
 * written by hand for the one purpose; and what many runs leave in memory. All in turn on the same machine, over loopback,
 * the same requests. Prints one table: node dist/bench/hooks/main.js [--rounds 5] [--seconds 3] [--runs 100000] [--only WORDS]
 */
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { processorTime, residentMemory } from "../support/daemon.js";
import { median, print, quantile, type Row } from "../support/table.js";
import { serveBare } from "./bare.js";
import { type Case, refused, run, waited } from "./cases.js";
import { type Measured, measure } from "./requests.js";
import { rested, type Server, startBare, startReeve, startWebhook } from "./servers.js";

/** Milliseconds: what a daemon does often is compiled by then. */
const WARM_UP = 3000;
const OTHERS = 999;

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "5" },
    seconds: { type: "string", default: "3" },
    runs: { type: "string", default: "100000" },
    only: { type: "string", default: "" },
  },
});
const rounds = Number(values.rounds);
const milliseconds = Number(values.seconds) * 1000;

/** How long each side is measured in turn, in milliseconds, and how often. */
interface Turns {
  readonly each: number;
  readonly times: number;
}
const USUAL: Turns = { each: milliseconds, times: rounds };
/** For a difference of a few in a hundred: as long in all, in so short turns that both sides had the same machine. */
const SHORT: Turns = { each: 250, times: Math.ceil((rounds * milliseconds) / 250) };

/** Whether a row was asked for. */
const isWanted = (what: string): boolean => what.includes(values.only);

/** What was measured, and milliseconds of processor time it took the server and its commands. */
type Timed = Measured & { readonly processor: number };

/** One of those that are compared. */
interface Side {
  readonly name: string;
  readonly server: Server;
}

if (positionals[0] === "bare") await serveBare();
else await compare();

async function compare(): Promise<void> {
  const servers: Server[] = [];
  const started = <Some extends Server | undefined>(server: Some): Some => {
    if (server) servers.push(server);
    return server;
  };
  try {
    const reeve = { name: "Reeve", server: started(await startReeve()) };
    const bare = {
      name: "bare Fastify",
      server: started(await startBare(fileURLToPath(import.meta.url))),
    };
    const webhook = started(await startWebhook());
    const rows: Row[] = [];
    const add = async (
      each: Case,
      connections: number,
      ours: Side,
      theirs: Side,
      bar: string,
      turns = USUAL,
    ) => {
      const what = `${each.what}; ${connections} connections; ${ours.name} ÷ ${theirs.name}`;
      if (!isWanted(what)) return;
      rows.push({ what, result: await ratio(each, { connections, ours, theirs, turns }), bar });
    };
    for (const each of webhook ? [...refused, ...run] : []) {
      const other = { name: "webhook", server: webhook as Server };
      for (const connections of [16, 64]) await add(each, connections, reeve, other, each.bar);
    }
    for (const each of refused) await add(each, 16, reeve, bare, "≥ 0.5");
    if (isWanted("memory")) rows.push(await memory(reeve.server, Number(values.runs)));
    // Both as young as the other.
    const full = { name: `with ${OTHERS} more`, server: started(await startReeve(OTHERS)) };
    const few = { name: "without", server: started(await startReeve()) };
    await add((refused as [Case])[0], 16, full, few, "within 3 %", SHORT);
    print(
      rows,
      `Medians of ${rounds} × ${milliseconds / 1000} s in turn; behind them the median of the turns' ratios, and their middle half.` +
        (webhook ? "" : " There is no `webhook` on this machine."),
    );
  } finally {
    await Promise.all(servers.map((server) => server.stop()));
  }
}

/** Both in turn, first the one and then the other first, so that both had the same minute. */
async function ratio(
  each: Case,
  how: {
    readonly connections: number;
    readonly ours: Side;
    readonly theirs: Side;
    readonly turns: Turns;
  },
): Promise<string> {
  const { connections, ours, theirs, turns } = how;
  const all = new Map<Side, Timed[]>([
    [ours, []],
    [theirs, []],
  ]);
  for (const [side] of all) await once(each, side, { connections, milliseconds: WARM_UP });
  for (let turn = 0; turn < turns.times; turn += 1) {
    const order = turn % 2 === 0 ? [ours, theirs] : [theirs, ours];
    for (const side of order) {
      const measured = await once(each, side, { connections, milliseconds: turns.each });
      all.get(side)?.push(measured);
    }
  }
  const [our = [], their = []] = all.values();
  const ratios = our.map(({ perSecond }, turn) => perSecond / (their[turn]?.perSecond ?? 1));
  const sides = [...all].map(([{ name }, measured]) => `${name} ${summaryOf(measured)}`);
  const [low, high] = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2));
  return `${sides.join("; ")}; ${median(ratios).toFixed(2)} × (${low} to ${high})`;
}

async function once(
  { what, request, statuses }: Case,
  { name, server }: Side,
  load: { readonly connections: number; readonly milliseconds: number },
): Promise<Timed> {
  const before = processorTime(server.pid, true);
  const measured = await measure(server.port, request, load);
  const others = Object.keys(measured.statuses).filter((each) => !statuses.includes(each));
  if (others.length > 0) throw new Error(`${name} answers ${others.join(", ")} to ${what}`);
  await rested(server);
  return { ...measured, processor: processorTime(server.pid, true) - before };
}

function summaryOf(all: readonly Timed[]): string {
  const rate = median(all.map(({ perSecond }) => perSecond));
  const tail = median(all.map(({ latencies }) => quantile(latencies, 0.99)));
  const refusals = all.reduce((sum, { statuses }) => sum + (statuses["429"] ?? 0), 0);
  const total = all.reduce((sum, { latencies }) => sum + latencies.length, 0);
  // Of all turns together: of a short one the kernel's clock is too coarse.
  const work = (1000 * all.reduce((sum, { processor }) => sum + processor, 0)) / total;
  const share = refusals > 0 ? `, ${((100 * refusals) / total).toFixed(0)} % refused with 429` : "";
  return `${rate.toFixed(0)}/s, p99 ${tail.toFixed(1)} ms, processor ${work.toFixed(0)} µs each${share}`;
}

/** Of the daemon, after half of the runs and after all. */
async function memory(server: Server, runs: number): Promise<Row> {
  const resident: number[] = [];
  for (let half = 0; half < 2; half += 1) {
    for (let done = 0; done < runs / 2; ) {
      const load = { connections: 64, milliseconds: 1000 };
      done += (await measure(server.port, waited.request, load)).latencies.length;
    }
    await rested(server);
    resident.push(residentMemory(server.pid));
  }
  const [before = 0, after = 0] = resident;
  return {
    what: `memory after ${runs.toLocaleString("en")} more runs`,
    result: `${after.toFixed(0)} MB, ${(after - before).toFixed(1)} MB more than after half of them`,
    bar: "≤ 150 MB, flat",
  };
}
