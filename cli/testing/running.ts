/** `reeve up` as a child process, and everything that can be asked of it. */
import type { ChildProcess } from "node:child_process";
import { join } from "node:path";
import type { DaemonEvent } from "../../daemon/http/control/api.js";
import { child, type Ending } from "../../tests/support/child.js";
import { REEVE, REEVE_MODULES } from "../../tests/support/commands.js";
import { type Control, connect } from "../control/client.js";
import { type ProgramResult, reeve } from "./reeve.js";

export interface Running {
  readonly child: ChildProcess;
  readonly control: Control;
  readonly socket: string;
  /** What it has written until now. */
  readonly stdout: string;
  readonly stderr: string;
  /** Runs another command against it. */
  reeve(...words: readonly string[]): Promise<ProgramResult>;
  /** The first event that fits, also of the past. */
  event(fits: (event: DaemonEvent) => boolean): Promise<DaemonEvent>;
  /** Sends the signal and resolves with the exit code, or with the signal where that ended it. */
  end(signal?: NodeJS.Signals): Promise<number | NodeJS.Signals | null>;
}

/** Starts the daemon in `cwd`, with its socket and state there; `node`: options of Node itself. Resolves when it answers. */
export async function running(
  t: Ending & { timeout?(milliseconds: number): void },
  cwd: string,
  words: readonly string[] = ["--log-format", "text"],
  node: readonly string[] = [],
): Promise<Running> {
  t.timeout?.(60_000);
  const socket = join(cwd, "c.sock");
  const bin = node.length === 0 ? REEVE : REEVE_MODULES;
  const all = [bin, "up", "--control", socket, "--state", join(cwd, "state"), ...words];
  const started = child(t, process.execPath, [...node, ...all], {
    cwd,
    env: { PATH: process.env.PATH, HOME: cwd },
  });
  await started.says(/Ctrl-C stops|"control":/);
  const control = connect({ control: socket });
  return {
    child: started.process,
    control,
    socket,
    get stdout() {
      return started.stdout;
    },
    get stderr() {
      return started.stderr;
    },
    reeve: (...more) => {
      const end = more.includes("--") ? more.indexOf("--") : more.length;
      return reeve(more.toSpliced(end, 0, "--control", socket), { cwd });
    },
    async event(fits) {
      for await (const line of control.events({ since: 0 })) {
        if (line.line === "event" && fits(line)) return line;
      }
      throw new Error("the daemon has ended");
    },
    async end(signal = "SIGTERM") {
      started.kill(signal);
      return (await started.ended) ?? null;
    },
  };
}
