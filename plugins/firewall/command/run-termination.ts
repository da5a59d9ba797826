/** How a run ends: by its command, by a signal to awf, or by its time limit. */
import { constants } from "node:os";
import type { Sandbox } from "../engine/sandbox.js";

/** A command that is asked to end may take this long. */
const graceMs = 3000;

const exitCodes = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129, SIGQUIT: 131 } as const;
type Ending = keyof typeof exitCodes;

/** Listens from its making, so that a signal during the start is not lost. */
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

  /** The exit code that awf was asked to end with, if it was. */
  get forced(): number | undefined {
    return this.#forced;
  }

  /** Aborts when awf is asked to end. */
  get stopRequest(): AbortSignal {
    return this.#stopRequest.signal;
  }

  /** Resolves when the sandbox is gone, with the exit code that awf should have. */
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

  /** The second request does not wait. */
  #stop(signal: NodeJS.Signals, exitCode: number): void {
    const again = this.#forced !== undefined;
    this.#forced ??= exitCode;
    this.#stopRequest.abort(signal);
    if (again) this.#sandbox?.kill();
    else this.#pass(signal);
  }

  /** To the command, which may take its time; where it has not begun, it does not begin. */
  #pass(signal: NodeJS.Signals): void {
    if (this.#sandbox?.signal(signal)) {
      this.#timers.push(setTimeout(() => this.#sandbox?.kill(), graceMs));
    } else this.#sandbox?.kill();
  }
}
