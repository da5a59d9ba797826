/** One command in a sandbox, from its start to its end. */

import type { Socket } from "node:net";
import { constants } from "node:os";
import type { AccessRecord } from "../log/entry.js";
import { domainOf } from "../log/parse.js";
import type { ExecRequest, ExecResult } from "./exec-request.js";
import type { LaunchedCommand } from "./launch.js";
import { isDenied } from "./traffic.js";

/** Milliseconds that a command has to end before it is killed. */
const grace = 3000;
/** Milliseconds until a signal is repeated that arrived before the command started. */
const retry = 20;
const mostRefused = 10;

type Ending = "timed_out" | "cancelled";

export class RunningCommand {
  readonly id: string;
  readonly sandbox: string;
  readonly order: ExecRequest;
  /** Milliseconds since the epoch. */
  readonly since: number;
  allowed = 0;
  denied = 0;
  /** The first denied names or addresses, with reasons. */
  readonly refused = new Map<string, string>();
  readonly #began = performance.now();
  readonly #launched: LaunchedCommand;
  readonly #timers = new Set<NodeJS.Timeout>();
  #ending: Ending | undefined;
  #over = false;
  #said = "";

  constructor(
    id: string,
    sandbox: string,
    order: ExecRequest,
    launched: LaunchedCommand,
    since: number,
  ) {
    this.id = id;
    this.sandbox = sandbox;
    this.order = order;
    this.since = since;
    this.#launched = launched;
    if (order.timeout !== undefined) this.#later(order.timeout, () => this.end("timed_out"));
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
    else if (!this.#launched.sandbox.signal(signal)) this.#later(retry, () => this.signal(signal));
  }

  /** Terminates the command, then kills it after the grace time. A second call kills at once. */
  end(why: Ending): void {
    if (this.#over) return;
    if (this.#ending !== undefined) return void this.#launched.sandbox.kill();
    this.#ending = why;
    this.signal("SIGTERM");
    this.#later(grace, () => this.#launched.sandbox.kill());
  }

  cutOff(): void {
    this.#ending ??= "cancelled";
    if (!this.#over) this.#launched.sandbox.kill();
  }

  /** Keeps the first output: it explains a start that fails. */
  hear(data: Buffer): void {
    if (this.#said.length < 1000) this.#said += data.toString("utf8");
  }

  /** Resolves once all processes have ended and all output has been read. Call it once. */
  async ended(): Promise<ExecResult> {
    const [{ code, signal }, started] = await Promise.all([
      this.#launched.sandbox.exited,
      this.started,
      ...[this.stdout, this.stderr].map(closed),
    ]);
    this.#over = true;
    for (const timer of this.#timers) clearTimeout(timer);
    this.stdin.destroy();
    await this.#launched.leave();
    const result = (outcome: ExecResult["outcome"], rest: Partial<ExecResult> = {}) => ({
      ...{ outcome, exitCode: undefined, signal: undefined, error: undefined },
      ...{ duration: performance.now() - this.#began, ...rest },
    });
    if (this.#ending !== undefined) return result(this.#ending);
    if (!started) {
      const error = `The sandbox could not be created: ${this.#said.trim() || "it ended early"}.`;
      return result("not_started", { error });
    }
    const killedBy = signal ?? signalOf(code);
    if (killedBy !== undefined) return result("killed", { signal: killedBy });
    return result("exited", { exitCode: code ?? 0 });
  }

  #later(milliseconds: number, act: () => void): void {
    const timer = setTimeout(() => {
      this.#timers.delete(timer);
      if (!this.#over) act();
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
