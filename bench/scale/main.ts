/**
 * Jobs that do nothing, a second: one daemon with a file of its own, and one, two and three that share a PostgreSQL which
 * waits for its disk. Prints one table: node dist/bench/scale/main.js [--jobs N] [--rounds N]. With `--peers`, another one:
 * the queue of reeve beside job libraries.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { Server } from "../../daemon/services/cases/postgres.js";
import { median, print, type Row } from "../support/table.js";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "20000" },
    rounds: { type: "string", default: "3" },
    peers: { type: "boolean", default: false },
  },
});
const jobs = Number(values.jobs);
const program = fileURLToPath(new URL("./daemon.js", import.meta.url));
const folder = mkdtempSync(join(tmpdir(), "reeve-bench-"));
let made = 0;

const heard = (child: ChildProcess): Promise<unknown> =>
  once(child.stdout as NodeJS.ReadableStream, "data");

/** Jobs a second. */
async function measured(daemons: number, address?: string): Promise<number> {
  const share = Math.ceil(jobs / daemons);
  const children = Array.from({ length: daemons }, () => {
    made += 1;
    const words = [program, join(folder, String(made)), String(share)];
    return spawn(process.execPath, address === undefined ? words : [...words, address], {
      stdio: ["pipe", "pipe", "inherit"],
    });
  });
  await Promise.all(children.map(heard));
  const begun = performance.now();
  for (const child of children) child.stdin?.write("go\n");
  await Promise.all(children.map(heard));
  const seconds = (performance.now() - begun) / 1000;
  await Promise.all(children.map((child) => once(child, "exit")));
  return (share * daemons) / seconds;
}

/** The queue of reeve beside job libraries. */
async function printPeers(): Promise<void> {
  const [{ load }, { needs }, { throughput }] = await Promise.all([
    import("./peers/load.js"),
    import("./peers/needs.js"),
    import("./peers/throughput.js"),
  ]);
  const size = { jobs, rounds: Number(values.rounds), most: 2 };
  const rows = [...(await load()), ...(await needs(server)), ...(await throughput(server, size))];
  print(
    rows,
    `${jobs} jobs that do nothing, 50 at once a daemon, ${values.rounds} rounds in turns; PostgreSQL waits for its disk.`,
  );
}

const server = await Server.start("fsync=on");
const cases: ReadonlyArray<readonly [name: string, daemons: number, isShared: boolean]> = [
  ["SQLite, 1 daemon", 1, false],
  ["PostgreSQL, 1 daemon", 1, true],
  ["PostgreSQL, 2 daemons", 2, true],
  ["PostgreSQL, 3 daemons", 3, true],
];
if (values.peers) {
  await printPeers();
  process.exit(0);
}
try {
  const rates = new Map<string, number[]>(cases.map(([name]) => [name, []]));
  for (let round = 0; round < Number(values.rounds); round += 1) {
    for (const [name, daemons, isShared] of cases) {
      const address = isShared ? await server.database() : undefined;
      rates.get(name)?.push(await measured(daemons, address));
    }
  }
  const base = median(rates.get("SQLite, 1 daemon") ?? []);
  print(
    cases.map(([name]): Row => {
      const rate = median(rates.get(name) ?? []);
      const bar = name === "PostgreSQL, 2 daemons" ? "≥ 0.5" : "";
      return {
        ...{ what: `${name}: jobs per second (÷ SQLite)`, bar },
        result: `${Math.round(rate)} (${(rate / base).toFixed(2)})`,
      };
    }),
    `${jobs} jobs that do nothing, 50 at once a daemon, everything on this machine.`,
  );
} finally {
  rmSync(folder, { recursive: true, force: true });
}
process.exit(0);
