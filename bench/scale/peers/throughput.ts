/** Jobs that do nothing by each of the peers, in turns: how many a second, and what a job takes of the processor. */
import { type ChildProcess, spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { fileURLToPath } from "node:url";
import type { Server } from "../../../daemon/services/testing/postgres.js";
import { median, type Row } from "../../support/table.js";
import { processorTimes, taken } from "../processor-time.js";
import { type PeerName, peers } from "./peer.js";

const program = fileURLToPath(new URL("./daemon.js", import.meta.url));

interface Measured {
  readonly rate: number;
  /** Microseconds of processor a job, of the daemons and of the database. */
  readonly daemons: number;
  readonly server: number;
}

class Daemon {
  readonly #child: ChildProcess;
  readonly filled: Promise<void>;
  readonly cpu: Promise<number>;
  done = 0;

  constructor(words: readonly string[], reported: () => void) {
    this.#child = spawn(process.execPath, [program, ...words], {
      stdio: ["pipe", "pipe", "inherit"],
    });
    const lines = createInterface({ input: this.#child.stdout as NodeJS.ReadableStream });
    const filled = Promise.withResolvers<void>();
    const cpu = Promise.withResolvers<number>();
    this.filled = filled.promise;
    this.cpu = cpu.promise;
    lines.on("line", (text) => {
      if (text === "filled") filled.resolve();
      else if (text.startsWith("cpu ")) cpu.resolve(Number(text.slice(4)));
      else {
        this.done = Number(text);
        reported();
      }
    });
    this.#child.on("exit", (code) => {
      if (code === 0) return;
      filled.reject(new Error("A daemon has died."));
      cpu.reject(new Error("A daemon has died."));
    });
  }

  notify(): void {
    this.#child.stdin?.write("\n");
  }
}

async function measured(
  server: Server,
  peer: PeerName,
  count: number,
  jobs: number,
): Promise<Measured> {
  const address = await server.database();
  const share = Math.ceil(jobs / count);
  const all = Promise.withResolvers<void>();
  const reported = (): void => {
    if (daemons.reduce((sum, { done }) => sum + done, 0) >= share * count) all.resolve();
  };
  const daemons: Daemon[] = [];
  // One after the other: not every library lets two make its tables at once.
  for (let index = 0; index < count; index += 1) {
    const daemon = new Daemon([peer, address, String(share)], reported);
    daemons.push(daemon);
    await daemon.filled;
  }
  const [startedAt, before] = [performance.now(), processorTimes(server.pid)];
  for (const daemon of daemons) daemon.notify();
  await all.promise;
  const seconds = (performance.now() - startedAt) / 1000;
  const database = taken(before, processorTimes(server.pid));
  for (const daemon of daemons) daemon.notify();
  const cpus = await Promise.all(daemons.map(({ cpu }) => cpu));
  const total = share * count;
  return {
    rate: total / seconds,
    daemons: cpus.reduce((sum, each) => sum + each, 0) / total,
    server: database / total,
  };
}

export async function throughput(
  server: Server,
  { jobs, rounds, most }: { readonly jobs: number; readonly rounds: number; readonly most: number },
): Promise<readonly Row[]> {
  const counts = Array.from({ length: most }, (_, index) => index + 1);
  const cases = counts.flatMap((count) => peers.map((peer) => ({ peer, count })));
  const found = new Map(cases.map((each) => [each, [] as Measured[]]));
  for (let round = 0; round < rounds; round += 1) {
    for (const [each, results] of found) {
      results.push(await measured(server, each.peer, each.count, jobs));
    }
  }
  const middle = (results: readonly Measured[] | undefined, of: keyof Measured): number =>
    median((results ?? []).map((each) => each[of]));
  const rateOf = (name: PeerName, count: number): number => {
    const [, results] =
      [...found].find(([each]) => each.peer === name && each.count === count) ?? [];
    return middle(results, "rate");
  };
  return [...found].map(([{ peer, count }, results]): Row => {
    const rate = middle(results, "rate");
    const [daemons, database] = [middle(results, "daemons"), middle(results, "server")];
    return {
      what: `${peer}, ${count} daemon${count > 1 ? "s" : ""}: jobs per second (÷ reeve)`,
      result:
        `${Math.round(rate)} (${(rate / rateOf("reeve", count)).toFixed(2)}); ` +
        `µs of processor a job: ${Math.round(daemons)} daemons, ${Math.round(database)} database`,
      bar: "",
    };
  });
}
