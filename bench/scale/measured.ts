/** One measurement: so many daemons do so many jobs. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { createInterface, type Interface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Server } from "../../daemon/services/testing/postgres.js";
import type { DaemonReport } from "./daemon.js";
import { processorTimes, taken } from "./processor-time.js";

export interface Scene {
  readonly daemons: number;
  readonly jobs: number;
  /** Different keys that the jobs have; 0: none. */
  readonly keys: number;
  readonly folder: string;
}

/** All but the rate is for one job; processor times are in microseconds. */
export interface Measured {
  /** Jobs a second. */
  readonly rate: number;
  readonly processor: number;
  /** What of it the server took. */
  readonly server: number;
  readonly statements: number;
  readonly claims: number;
  readonly empty: number;
}

const program = fileURLToPath(new URL("./daemon.js", import.meta.url));

interface Daemon {
  readonly child: ChildProcess;
  readonly lines: Interface;
}

export async function measured(
  { daemons, jobs, keys, folder }: Scene,
  shared?: { readonly server: Server; readonly address: string },
): Promise<Measured> {
  const share = Math.ceil(jobs / daemons);
  const all = Array.from({ length: daemons }, (_, index): Daemon => {
    const words = [join(folder, String(index)), String(share), String(keys)];
    const child = spawn(
      process.execPath,
      [program, ...words, ...(shared ? [shared.address] : [])],
      { stdio: ["pipe", "pipe", "inherit"] },
    );
    return { child, lines: createInterface(child.stdout as NodeJS.ReadableStream) };
  });
  await Promise.all(all.map(({ lines }) => once(lines, "line")));
  const serverBefore = shared ? processorTimes(shared.server.pid) : new Map<string, number>();
  const startedAt = performance.now();
  const over = allDone(all, share * daemons);
  for (const { child } of all) child.stdin?.write("go\n");
  await over;
  const seconds = (performance.now() - startedAt) / 1000;
  const reports = await Promise.all(
    all.map(async ({ child, lines }) => {
      const last = new Promise<DaemonReport>((resolve) => {
        lines.on(
          "line",
          (line) => line.startsWith("{") && resolve(JSON.parse(line) as DaemonReport),
        );
      });
      child.stdin?.write("end\n");
      return last;
    }),
  );
  const serverTime = shared ? taken(serverBefore, processorTimes(shared.server.pid)) : 0;
  await Promise.all(all.map(({ child }) => child.exitCode ?? once(child, "exit")));
  const aJob = (figure: (reports: DaemonReport) => number): number =>
    reports.reduce((sum, each) => sum + figure(each), 0) / (share * daemons);
  const server = serverTime / (share * daemons);
  return {
    rate: (share * daemons) / seconds,
    ...{ server, processor: aJob(({ processor }) => processor) + server },
    statements: aJob(({ statements }) => statements),
    claims: aJob(({ claims }) => claims),
    empty: aJob(({ empty }) => empty),
  };
}

/** Resolves when the daemons have done that many together. */
function allDone(all: readonly Daemon[], jobs: number): Promise<void> {
  const counts = all.map(() => 0);
  return new Promise((resolve) => {
    for (const [index, { lines }] of all.entries()) {
      lines.on("line", (line) => {
        counts[index] = Number(line) || (counts[index] ?? 0);
        if (counts.reduce((sum, count) => sum + count, 0) >= jobs) resolve();
      });
    }
  });
}
