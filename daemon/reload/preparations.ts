/** The part of an attempt in which plugins prepare. A plugin that hangs must not delay the edit that repairs it. */
import type { Plan, Program } from "../config/program.js";
import { errorMessage, ReeveError } from "../errors.js";
import type { PluginHost, PrepareOutcome } from "../host/contract.js";
import type { Clock } from "../plugin-api/context.js";

export class Preparations {
  readonly #host: PluginHost;
  readonly #clock: Clock;
  readonly #ending: AbortSignal;
  readonly #grace: number;
  #current: AbortController | undefined;

  /** `ending` fires when the daemon ends. `grace` is how many milliseconds plugins have after a newer edit. */
  constructor(host: PluginHost, clock: Clock, ending: AbortSignal, grace: number) {
    this.#host = host;
    this.#clock = clock;
    this.#ending = ending;
    this.#grace = grace;
  }

  /** Never rejects. */
  async prepare(program: Program, changes: Plan, number: number): Promise<PrepareOutcome> {
    const current = new AbortController();
    const signal = AbortSignal.any([this.#ending, current.signal]);
    this.#current = current;
    const outcome = await this.#host
      .prepare(program, changes, number, signal)
      .catch((thrown: unknown) => ({
        ok: false as const,
        reason: errorMessage(thrown),
        diagnostics: [],
      }));
    this.#current = undefined;
    if (!signal.aborted) return outcome;
    if (outcome.ok) await outcome.prepared.abort();
    const reason = this.#ending.aborted ? "the daemon ends" : "a newer edit replaces it";
    return { ok: false, reason, diagnostics: [] };
  }

  /** Ends what has prepared for the grace period, as long as an edit waits. */
  endWhile(editWaits: () => boolean): void {
    const watch = async (): Promise<void> => {
      while (editWaits()) {
        const before = this.#current;
        await this.#clock.sleep(this.#grace, this.#ending);
        if (editWaits() && before === this.#current) {
          before?.abort(new ReeveError("superseded", "A newer edit replaces it."));
        }
      }
    };
    watch().catch(() => undefined);
  }
}
