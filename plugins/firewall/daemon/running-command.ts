/** One command in a sandbox, from its start to its end. */

import type { Socket } from "node:net";
import { constants } from "node:os";
import type { AccessRecord } from "../log/entry.js";
import { domainOf } from "../log/parse.js";
import type { ExecRequest, ExecResult } from "./exec-request.js";
import type { LaunchedCommand } from "./launch.js";
import { isDenied } from "./traffic.js";

/** Milliseconds that a command has to end before it is killed. */
const graceMs = 3000;
/** Milliseconds until a signal is repeated that arrived before the command started. */
const retryMs = 20;
const mostRefused = 10;

type EndReason = "timed_out" | "cancelled";

export class RunningCommand {
  readonly id: string;
  readonly sandbox: string;
  readonly request: ExecRequest;
  /** Milliseconds since the epoch. */
  readonly since: number;
  allowed = 0;
  denied = 0;
  /** The first denied names or addresses, with reasons. */
  readonly refused = new Map<string, string>();
  readonly #startedAt = performance.now();
  readonly #launched: LaunchedCommand;
  readonly #timers = new Set<NodeJS.Timeout>();
  #endReason: EndReason | undefined;
  #hasEnded = false;
  #startOutput = "";

  constructor(
    id: string,
    sandbox: string,
    request: ExecRequest,
    launched: LaunchedCommand,
    since: number,
  ) {
    this.id = id;
    this.sandbox = sandbox;
    this.request = request;
    this.since = since;
    this.#launched = launched;
    if (request.timeout !== undefined) this.#schedule(request.timeout, () => this.end("timed_out"));
  }

  /** The root of its processes, in this machine's numbering. */
  get pid(): number {
    return this.#launched.sandbox.pid;
  }
  get stdin(): Socket {
    return this.#launched.pipes.stdin;
  }
  get stdout(): Socket {
    return this.#launched.pipes.stdout;
  }
  get stderr(): Socket {
    return this.#launched.pipes.stderr;
  }
  /** Resolves with true once the command runs, with false if it ends before. */
  get started(): Promise<boolean> {
    return this.#launched.pipes.started;
  }

  count(record: AccessRecord): void {
    if (!isDenied(record)) {
      this.allowed += 1;
      return;
    }
    this.denied += 1;
    const { method, host, url, reason = "" } = record;
    const domain = domainOf(method, host, url);
    if (this.refused.size < mostRefused && !this.refused.has(domain))
      this.refused.set(domain, reason);
  }

  /** Signals every process of the command. */
  signal(signal: NodeJS.Signals): void {
    if (signal === "SIGKILL") this.#launched.sandbox.kill();
    else if (!this.#launched.sandbox.signal(signal))
      this.#schedule(retryMs, () => this.signal(signal));
  }

  /** Terminates the command, then kills it after the grace time. A second call kills at once. */
  end(why: EndReason): void {
    if (this.#hasEnded) return;
    if (this.#endReason !== undefined) return void this.#launched.sandbox.kill();
    this.#endReason = why;
    this.signal("SIGTERM");
    this.#schedule(graceMs, () => this.#launched.sandbox.kill());
  }

  kill(): void {
    this.#endReason ??= "cancelled";
    if (!this.#hasEnded) this.#launched.sandbox.kill();
  }

  /** Keeps the first output: it explains a start that fails. */
  keepStartOutput(data: Buffer): void {
    if (this.#startOutput.length < 1000) this.#startOutput += data.toString("utf8");
  }

  /** Resolves once all processes have ended and all output has been read. Call it once. */
  async ended(): Promise<ExecResult> {
    const [{ code, signal }, started] = await Promise.all([
      this.#launched.sandbox.exited,
      this.started,
      ...[this.stdout, this.stderr].map(closed),
    ]);
    this.#hasEnded = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.stdin.destroy();
    await this.#launched.release();
    const result = (outcome: ExecResult["outcome"], rest: Partial<ExecResult> = {}) => ({
      ...{ outcome, exitCode: undefined, signal: undefined, error: undefined },
      ...{ duration: performance.now() - this.#startedAt, ...rest },
    });
    if (this.#endReason !== undefined) return result(this.#endReason);
    if (!started) {
      const error = `The sandbox could not be created: ${this.#startOutput.trim() || "it ended early"}.`;
      return result("not_started", { error });
    }
    const killedBy = signal ?? signalOf(code);
    if (killedBy !== undefined) return result("killed", { signal: killedBy });
    return result("exited", { exitCode: code ?? 0 });
  }

  #schedule(milliseconds: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#hasEnded) act();
    }, milliseconds);
    this.#timers.add(timer);
  }
}

/** The caller must read the socket, or it never closes. */
function closed(socket: Socket): Promise<void> {
  if (socket.destroyed) return Promise.resolve();
  return new Promise((resolve) => socket.once("close", () => resolve()));
}

/** Only exit codes that shells use for terminating signals: commands may use the others themselves. */
function signalOf(code: number | null): NodeJS.Signals | undefined {
  const known: readonly NodeJS.Signals[] = [
    "SIGKILL",
    "SIGTERM",
    "SIGINT",
    "SIGHUP",
    "SIGSEGV",
    "SIGABRT",
  ];
  return known.find((name) => code === 128 + constants.signals[name]);
}
