/** A daemon of one's own for a benchmark: in a directory of its own, on sockets of its own, gone when it is over. */
import { once } from "node:events";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { child, endWithSignals } from "../../tests/support/child.js";
import { eventually, within } from "../../tests/support/eventually.js";

export interface BenchDaemon {
  readonly directory: string;
  readonly pid: number;
  /** Milliseconds from `spawn` to the first `/readyz` that says yes. */
  readonly startedIn: number;
  /** A request to the control API; JSON is parsed. @throws for statuses that are not 2xx. */
  control<Answer>(method: "GET" | "POST", path: string): Promise<Answer>;
  stop(): Promise<void>;
}

export interface DaemonOptions {
  readonly files: Readonly<Record<string, string>>;
  /** @default the compiled command line */
  readonly bin?: string;
  readonly env?: Readonly<Record<string, string>>;
}

const BIN = new URL("../../cli/reeve.js", import.meta.url).pathname;

export async function startDaemon({ files, bin = BIN, env }: DaemonOptions): Promise<BenchDaemon> {
  const directory = mkdtempSync(join(tmpdir(), "reeve-bench-"));
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(dirname(join(directory, name)), { recursive: true });
    writeFileSync(join(directory, name), text);
  }
  const socket = join(directory, "control.sock");
  const started = performance.now();
  endWithSignals();
  const ends: Array<() => unknown> = [
    () => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }),
  ];
  const daemon = child(
    { teardown: (end) => ends.unshift(end) },
    process.execPath,
    [bin, "up", directory, "--state", join(directory, ".state"), "--control", socket],
    { stdio: ["ignore", "ignore", "pipe"], env: { ...process.env, ...env } },
  );
  const stop = async (): Promise<void> => {
    if (daemon.isAlive) daemon.kill();
    await within("the end of the daemon", daemon.ended).catch(() => undefined);
    for (const end of ends) await end();
  };
  const look = async () => (await isReady(socket)) || (daemon.isAlive ? false : "ended");
  const found = await eventually("the daemon is ready", look, { every: 2 }).catch(() => "late");
  if (found !== true) {
    await stop();
    throw new Error(`the daemon is not ready: ${found}\n${daemon.stderr.slice(-4096)}`);
  }
  return {
    directory,
    pid: daemon.pid,
    startedIn: performance.now() - started,
    control: (method, path) => ask(socket, method, path),
    stop,
  };
}

const isReady = (socket: string): Promise<boolean> =>
  ask(socket, "GET", "/readyz").then(
    () => true,
    () => false,
  );

async function ask<Answer>(socketPath: string, method: string, path: string): Promise<Answer> {
  const outgoing = request({ socketPath, method, path });
  outgoing.end();
  const [response] = (await once(outgoing, "response")) as [IncomingMessage];
  let text = "";
  for await (const chunk of response.setEncoding("utf8")) text += chunk;
  if ((response.statusCode ?? 500) >= 300) throw new Error(`${response.statusCode}: ${text}`);
  return JSON.parse(text) as Answer;
}

/** Resident memory of a process in MiB, from the kernel. */
export function residentMemory(pid: number): number {
  const [, kilobytes] =
    /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? [];
  return Number(kilobytes) / 1024;
}

/** A tick of the kernel, in milliseconds. */
const TICK = 10;

/** Processor time a process has used so far, in milliseconds; `withCommands`: including its ended children. */
export function processorTime(pid: number, withCommands = false): number {
  const { own, children } = times(`/proc/${pid}/stat`);
  return withCommands ? own + children : own;
}

/** Processor time so far in milliseconds: of the main thread, of all other threads, and of the ended children. */
export function processorTimes(
  pid: number,
): Readonly<Record<"main" | "others" | "commands", number>> {
  const { own, children } = times(`/proc/${pid}/stat`);
  const main = times(`/proc/${pid}/task/${pid}/stat`).own;
  return { main, others: own - main, commands: children };
}

function times(path: string): { readonly own: number; readonly children: number } {
  const fields = readFileSync(path, "utf8").split(") ")[1]?.split(" ") ?? [];
  const of = (first: number): number => (Number(fields[first]) + Number(fields[first + 1])) * TICK;
  return { own: of(11), children: of(13) };
}
