/** How a run ends: by its command, by a signal to awf, or by its time limit. */
import { constants } from "node:os";
import type { Sandbox } from "../engine/sandbox.js";

/** How long a command may take after a request to end. */
const graceMs = 3000;

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;
type Ending = keyof typeof exitCodes;

/** Listens from construction on, so that it catches a signal during the start. */
export class RunTermination implements Disposable {
  #sandbox: Sandbox | undefined;
  #forced: number | undefined;
  #timers: NodeJS.Timeout[] = [];
  readonly #stopRequest = new AbortController();
  readonly #timeoutMs: number | undefined;
  readonly #listeners: ReadonlyArray<readonly [Ending, () => void]>;

  constructor(timeoutMs: number | undefined) {
    this.#listeners = (Object.keys(exitCodes) as Ending[]).map((signal) => [
      signal,
      () => this.#stop(signal, exitCodes[signal]),
    ]);
    for (const [signal, listener] of this.#listeners) process.on(signal, listener);
    this.#timeoutMs = timeoutMs;
  }

  /** The exit code for a run that a signal or the time limit ended. */
  get forced(): number | undefined {
    return this.#forced;
  }

  /** Aborts when awf is to end the run. */
  get stopRequest(): AbortSignal {
    return this.#stopRequest.signal;
  }

  /** Resolves with awf's exit code once the sandbox has ended. */
  async exitCode(sandbox: Sandbox): Promise<number> {
    this.#sandbox = sandbox;
    if (this.#timeoutMs !== undefined) {
      this.#timers.push(setTimeout(() => this.#stop("SIGTERM", 124), this.#timeoutMs));
    }
    if (this.#stopRequest.signal.aborted) this.#pass(this.#stopRequest.signal.reason);
    const { code, signal } = await sandbox.exited;
    if (this.#forced !== undefined) return this.#forced;
    return code ?? 128 + (constants.signals[signal ?? "SIGKILL"] ?? 9);
  }

  [Symbol.dispose](): void {
    for (const [signal, listener] of this.#listeners) process.off(signal, listener);
    for (const timer of this.#timers) clearTimeout(timer);
  }

  /** A second request kills at once. */
  #stop(signal: NodeJS.Signals, exitCode: number): void {
    const again = this.#forced !== undefined;
    this.#forced ??= exitCode;
    this.#stopRequest.abort(signal);
    if (again) this.#sandbox?.kill();
    else this.#pass(signal);
  }

  /** Signals the command and kills it after the grace time. A command that has not started is killed at once. */
  #pass(signal: NodeJS.Signals): void {
    if (this.#sandbox?.signal(signal)) {
      this.#timers.push(setTimeout(() => this.#sandbox?.kill(), graceMs));
    } else this.#sandbox?.kill();
  }
}
