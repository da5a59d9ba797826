/**
 * The `webhook` command beside Debian's `webhook`, with the same hooks file: a GET whose rule fails, loaded by `wrk -t1`, in
 * alternating rounds. Prints one table: node dist/bench/webhook/main.js [--rounds 7] [--seconds 3]
 */
import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { type Server, startWebhook } from "../hooks/servers.js";
import { processorTime } from "../support/daemon.js";
import { median, print, quantile, type Row } from "../support/table.js";

const OUR_COMMAND = fileURLToPath(new URL("../../bundle/webhook.js", import.meta.url));
const WARM_UP_SECONDS = 3;

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "3" },
  },
});
const rounds = Number(values.rounds);

/** One round of load on one server. */
interface Round {
  readonly perSecond: number;
  /** Milliseconds. */
  readonly p99: number;
  /** Microseconds of CPU time of the server per request. */
  readonly cpu: number;
}

const theirs = await startWebhook();
const ours = await startWebhook([process.execPath, OUR_COMMAND]);
try {
  if (!ours || !theirs)
    process.stdout.write("This benchmark needs Debian's packages webhook and wrk.\n");
  else {
    const rows: Row[] = [];
    for (const connections of [16, 64]) rows.push(await row(ours, theirs, connections));
    print(
      rows,
      `Medians of ${rounds} × ${values.seconds} s, alternating; the range is the interquartile range of the ratios.`,
    );
  }
} finally {
  await Promise.all([ours?.stop(), theirs?.stop()]);
}

async function row(our: Server, their: Server, connections: number): Promise<Row> {
  const results = new Map<Server, Round[]>([
    [our, []],
    [their, []],
  ]);
  for (const server of results.keys()) await load(server, connections, WARM_UP_SECONDS);
  for (let round = 0; round < rounds; round += 1)
    for (const server of round % 2 === 0 ? [our, their] : [their, our])
      results.get(server)?.push(await load(server, connections, Number(values.seconds)));
  const [ourRounds = [], theirRounds = []] = results.values();
  const ratios = ourRounds.map(
    ({ perSecond }, round) => perSecond / (theirRounds[round]?.perSecond ?? 1),
  );
  const [low, high] = [0.25, 0.75].map((share) => quantile(ratios, share).toFixed(2));
  return {
    what: `rule fails; \`wrk -t1 -c${connections}\`; Reeve's \`webhook\` ÷ webhook`,
    result: `Reeve ${summaryOf(ourRounds)}; webhook ${summaryOf(theirRounds)}; ${median(ratios).toFixed(2)} × (${low} to ${high})`,
    bar: "≥ 1.1",
  };
}

async function load(server: Server, connections: number, seconds: number): Promise<Round> {
  const before = processorTime(server.pid);
  const { stdout } = await promisify(execFile)("wrk", [
    ...["-t1", `-c${connections}`, `-d${seconds}s`, "--latency"],
    `http://127.0.0.1:${server.port}/hooks/plain?go=0`,
  ]);
  const numberAfter = (pattern: RegExp): number => Number(pattern.exec(stdout)?.[1]);
  const [, p99 = "", unit = ""] = /99%\s+([\d.]+)(us|ms|s)/.exec(stdout) ?? [];
  const requests = numberAfter(/(\d+) requests in/);
  return {
    perSecond: numberAfter(/Requests\/sec:\s+([\d.]+)/),
    p99: Number(p99) * ({ us: 0.001, ms: 1, s: 1000 }[unit] ?? 1),
    cpu: (1000 * (processorTime(server.pid) - before)) / requests,
  };
}

function summaryOf(all: readonly Round[]): string {
  const rate = median(all.map(({ perSecond }) => perSecond));
  const tail = median(all.map(({ p99 }) => p99));
  const work = median(all.map(({ cpu }) => cpu));
  return `${rate.toFixed(0)}/s, p99 ${tail.toFixed(1)} ms, CPU ${work.toFixed(0)} µs each`;
}
