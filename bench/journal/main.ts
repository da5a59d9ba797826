/**
 * Deliveries per second that are acknowledged before their commands run: on disk first, or only in memory, beside a server that
 * syncs each delivery by itself. Prints one table: node dist/bench/journal/main.js [--rounds 3] [--seconds 2] [--connections 64]
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { type Measured, measure, requestOf } from "../hooks/requests.js";
import { startDaemon } from "../support/daemon.js";
import { median, print, quantile } from "../support/table.js";
import { serveByHand } from "./by-hand.js";

/** Milliseconds. */
const WARM_UP = 1000;
const BODY = JSON.stringify({ ref: "refs/heads/main", padding: "x".repeat(400) });

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    rounds: { type: "string", default: "3" },
    seconds: { type: "string", default: "2" },
    connections: { type: "string", default: "64" },
  },
});
const connections = Number(values.connections);

interface Side {
  readonly name: string;
  start(): Promise<{ readonly port: number; stop(): Promise<void> }>;
  readonly measured: Measured[];
}

const [command, directory = ""] = positionals;
if (command === "by-hand") await serveByHand(directory);
else await compare();

async function compare(): Promise<void> {
  const sides: readonly Side[] = [
    { name: '`durability = "disk"`', start: () => startReeve("disk"), measured: [] },
    { name: '`durability = "memory"`', start: () => startReeve("memory"), measured: [] },
    { name: "by hand, one sync a delivery", start: startByHand, measured: [] },
  ];
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const side of sides) {
      const server = await side.start();
      try {
        await deliver(server.port, WARM_UP);
        side.measured.push(await deliver(server.port, Number(values.seconds) * 1000));
      } finally {
        await server.stop();
      }
    }
  }
  const rate = ({ measured }: Side): number => median(measured.map((each) => each.perSecond));
  const [disk] = sides.map(rate);
  print(
    sides.map((side, index) => {
      const latencies = side.measured.flatMap((each) => [...each.latencies]);
      const [p50, p99] = [0.5, 0.99].map((share) => quantile(latencies, share).toFixed(1));
      const ratio = index === 0 ? "" : `, disk is ${((disk ?? 0) / rate(side)).toFixed(2)} of it`;
      return {
        what: `${side.name}, acknowledged a second`,
        result: `${rate(side).toFixed(0)} (p50 ${p50} ms, p99 ${p99} ms)${ratio}`,
        bar: index === 0 ? "≥ 5000" : "",
      };
    }),
    `${connections} connections, deliveries of ${BODY.length} B, medians of ${values.rounds} rounds.`,
  );
}

/** Each connection delivers to a hook of its own, whose queue takes all of it. @throws if one is not accepted */
async function deliver(port: number, milliseconds: number): Promise<Measured> {
  const all = await Promise.all(
    Array.from({ length: connections }, (_, index) => {
      const headers = { "content-type": "application/json" };
      const request = requestOf("POST", `/hooks/h-${index}`, BODY, headers);
      return measure(port, request, { connections: 1, milliseconds });
    }),
  );
  const refused = all.flatMap(({ statuses }) =>
    Object.keys(statuses).filter((status) => status !== "202"),
  );
  if (refused.length > 0) throw new Error(`answered with ${[...new Set(refused)].join(", ")}`);
  return {
    perSecond: all.reduce((sum, { perSecond }) => sum + perSecond, 0),
    latencies: all.flatMap(({ latencies }) => [...latencies]),
    statuses: {},
  };
}

/** The first delivery of each hook runs until the daemon ends, and all others wait. */
async function startReeve(durability: "disk" | "memory"): ReturnType<Side["start"]> {
  const hook = (_: unknown, index: number): string => `hook "h-${index}" {
  run = ["sleep", "1000"]
  concurrency = 1
  queue = 10000
  durability = "${durability}"
  response { status = 202 }
}
`;
  const hooks = Array.from({ length: connections }, hook).join("");
  const main = `daemon { drain_timeout = 0s }
hook_server "default" { listen = "127.0.0.1:0" }
${hooks}`;
  const daemon = await startDaemon({ files: { "main.reeve": main } });
  const { hooks: listed } = await daemon.control<{
    readonly hooks: ReadonlyArray<{ readonly url: string }>;
  }>("GET", "/v1/hooks");
  return { port: Number(new URL(listed[0]?.url ?? "").port), stop: () => daemon.stop() };
}

async function startByHand(): ReturnType<Side["start"]> {
  const files = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  const self = fileURLToPath(import.meta.url);
  const child = spawn(process.execPath, [self, "by-hand", files], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  const [line] = (await once(child.stdout, "data")) as [Buffer];
  return {
    port: Number(line.toString()),
    async stop() {
      const ended = once(child, "exit");
      child.kill();
      await ended;
      rmSync(files, { recursive: true, force: true });
    },
  };
}
