/** A plugin host without plugins: it says what it was asked, in order, and answers as a test wants. */

import type { Plan, Program } from "../../config/program.js";
import { catalog } from "../../config/testing/catalog.js";
import type {
  PluginHost,
  PluginStatus,
  PreparedGeneration,
  PrepareOutcome,
} from "../../host/contract.js";
import type { Health } from "../../plugin-api/plugin.js";

export class RecordingHost implements PluginHost {
  readonly catalog = catalog;
  /** `prepare 2: sandbox.a updated`, `commit 2`, `abort 2`, `release 2`. Blocks that are unchanged are not named. */
  readonly calls: string[] = [];
  /** The blocks that run, as they were committed. */
  running: readonly string[] = [];
  /** Why the next generations are refused. */
  refusal: string | undefined;
  /** By plugin; plugins not listed are healthy. */
  readonly unhealthy = new Map<string, Health>();
  /** Prepares no further before this is resolved. */
  gate: Promise<void> = Promise.resolve();
  /** Whether a preparation ends by itself when it is given up. */
  heedsSignal = true;
  /** Called when a preparation has begun. */
  began: (generation: number) => void = () => undefined;

  async prepare(
    next: Program,
    plan: Plan,
    generation: number,
    signal: AbortSignal,
  ): Promise<PrepareOutcome> {
    const changes = plan.changes
      .filter(({ action }) => action !== "unchanged")
      .map(({ key, action }) => ` ${key} ${action}`);
    this.calls.push(`prepare ${generation}:${changes.join(",") || " nothing"}`);
    this.began(generation);
    await this.gate;
    if (signal.aborted && this.heedsSignal)
      return { ok: false, reason: "given up", diagnostics: [] };
    if (this.refusal !== undefined) {
      this.calls.push(`abort ${generation}`);
      return { ok: false, reason: this.refusal, diagnostics: [] };
    }
    return { ok: true, prepared: this.#prepared(next, generation), diagnostics: [] };
  }

  #prepared(next: Program, generation: number): PreparedGeneration {
    let isOpen = true;
    const close = (what: string): void => {
      if (!isOpen) throw new Error(`${what} ${generation} comes after another end`);
      isOpen = false;
      this.calls.push(`${what} ${generation}`);
    };
    return {
      commit: () => {
        close("commit");
        this.running = [...next.blocks.keys()];
      },
      abort: async () => close("abort"),
      release: async () => void this.calls.push(`release ${generation}`),
    };
  }

  /** What it was asked since the last time this was read. */
  news(): readonly string[] {
    return this.calls.splice(0);
  }

  status(): readonly PluginStatus[] {
    return [];
  }
  async health(): Promise<ReadonlyMap<string, Health>> {
    return new Map(this.unhealthy);
  }
  async panels() {
    return [];
  }
  async restart(): Promise<void> {}
  async release(): Promise<void> {}
  async stop(): Promise<void> {}
}
