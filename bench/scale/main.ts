/**
 * Jobs that do nothing, a second: one daemon with a file of its own, and one, two and three that share a PostgreSQL which
 * waits for its disk; without keys, and with a key each as the updates plugin's have. Beside the rate: what each job costs.
 * Prints one table: node dist/bench/scale/main.js [--jobs N] [--rounds N] [--only TEXT].
 * With `--peers` another one: the queue of reeve beside job libraries.
 */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Server } from "../../daemon/services/testing/postgres.js";
import { median, print, type Row } from "../support/table.js";
import { type Measured, measured, type Scene } from "./measured.js";

const { values } = parseArgs({
  options: {
    jobs: { type: "string", default: "30000" },
    rounds: { type: "string", default: "5" },
    only: { type: "string", default: "" },
    peers: { type: "boolean", default: false },
  },
});
const jobs = Number(values.jobs);

interface Case extends Omit<Scene, "folder" | "jobs"> {
  readonly name: string;
  readonly isShared: boolean;
}

const shapes = [
  { shape: "", keys: 0 },
  // Four jobs a key, one at a time, as several configs of one repository are.
  { shape: ", with keys", keys: Math.ceil(jobs / 4) },
];
const base = (shape: string): string => `SQLite, 1 daemon${shape}`;
const cases: readonly Case[] = shapes.flatMap(({ shape, keys }) => [
  { name: base(shape), keys, daemons: 1, isShared: false },
  ...[1, 2, 3].map((daemons) => ({
    name: `PostgreSQL, ${daemons} daemon${daemons === 1 ? "" : "s"}${shape}`,
    ...{ keys, daemons, isShared: true },
  })),
]);
const chosen = cases.filter(({ name }) => name.includes(values.only));

// As Debian sets it up: what is acknowledged is on the disk.
const settings = ["fsync=on", "full_page_writes=on", "shared_buffers=128MB"];
if (values.peers) {
  const { printPeers } = await import("./peers/main.js");
  await printPeers({ jobs, rounds: Number(values.rounds) }, settings);
  process.exit(0);
}
const folder = mkdtempSync(join(tmpdir(), "reeve-bench-"));
const server = await Server.start(...settings);
const found = new Map<string, Measured[]>(chosen.map(({ name }) => [name, []]));
try {
  for (let round = 0; round < Number(values.rounds); round += 1) {
    // Round after round, and not case after case: what else the machine does then concerns all of them.
    for (const { name, isShared, ...scene } of chosen) {
      const caseFolder = mkdtempSync(join(folder, "case-"));
      const shared = isShared ? { server, address: await server.database() } : undefined;
      found.get(name)?.push(await measured({ ...scene, folder: caseFolder, jobs }, shared));
      rmSync(caseFolder, { recursive: true });
    }
  }
} finally {
  rmSync(folder, { recursive: true, force: true });
}

const middle = (name: string, figure: (measured: Measured) => number): number =>
  median((found.get(name) ?? []).map(figure));
const rows = chosen.map(({ name, isShared, daemons, keys }): Row => {
  const of = (figure: (measured: Measured) => number, digits = 0): string =>
    middle(name, figure).toFixed(digits);
  const shape = keys === 0 ? "" : ", with keys";
  const ratio = middle(name, ({ rate }) => rate) / middle(base(shape), ({ rate }) => rate);
  const work = `${of(({ processor }) => processor)} µs of processor a job`;
  const questions = `${of(({ statements }) => statements * 1000)} statements, ${of(({ claims }) => claims * 1000)} claims, ${of(({ empty }) => empty * 1000)} of them empty, a thousand jobs`;
  return {
    what: `${name}: jobs per second (÷ SQLite)`,
    result: [
      `${of(({ rate }) => rate)} (${ratio.toFixed(2)})`,
      ...(isShared
        ? [`${work}, ${of(({ server: part }) => part)} of it the server's`, questions]
        : [work]),
    ].join("; "),
    bar: isShared && daemons === 2 && keys === 0 ? "≥ 0.5" : "",
  };
});
const remark = `Median of ${values.rounds} rounds of ${jobs} jobs that do nothing, 50 at once a daemon, everything on this machine.`;
print(rows, `${remark} PostgreSQL with ${settings.join(", ")}.`);
process.exit(0);
