/** Counts the requests and runs of a block, and reports them: statistics, metrics, events and the latest refusals. */
import type { Fields } from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import type { Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import { Refusals, type Refused } from "../evidence/refusals.js";
import type { HookStatistics } from "../telemetry/statistics.js";
import type { Finished } from "./finished.js";
import type { HookTools } from "./hook-tools.js";

type BlockNames = Pick<CommandBlock, "kind" | "key" | "label">;

export class RunMeter {
  readonly statistics: HookStatistics;
  readonly #block: BlockNames;
  readonly #tools: HookTools;
  readonly #refusals: Refusals;

  constructor(block: BlockNames, tools: HookTools) {
    // Only the names: the meter outlives the block of this generation.
    const { kind, key, label } = block;
    this.#block = { kind, key, label };
    this.#tools = tools;
    this.statistics = tools.statistics.of(block.key);
    this.#refusals = new Refusals(tools);
  }

  /** The latest refusals, newest first. */
  get refusals(): readonly Refused[] {
    return this.#refusals.list();
  }

  accepted(run: string, trigger: string): void {
    this.statistics.count("calls", this.#now());
    this.#tools.metrics.requests.add(1, { hook: this.#metricName, outcome: "accepted" });
    this.#emit("triggered", { run, trigger });
  }

  resumed(run: string): void {
    this.#emit("resumed", { run });
  }

  /** `from`: `POST /hooks/deploy from 192.0.2.7`. */
  refused(refusal: Refusal, from: string, request?: Incoming): void {
    this.statistics.count("rejected", this.#now());
    this.#refusals.add(this.#name, refusal, from, request);
  }

  ended(run: string, trigger: string | undefined, finished: Finished): void {
    const { state, duration, exitCode, reason, started, lost } = finished;
    if (finished.left) return;
    const { metrics } = this.#tools;
    if (started) {
      this.statistics.took(duration);
      metrics.seconds.observe(duration / 1000, { hook: this.#metricName });
    }
    if (lost === undefined) this.statistics.cannotStart = started ? undefined : reason;
    if (state === "failed" || state === "timed_out") this.#failed(run, state, reason);
    this.statistics.ended({ at: this.#now(), state });
    metrics.runs.add(1, { hook: this.#metricName, state });
    this.#emit("finished", {
      ...{ run, state, duration: Math.round(duration) },
      ...(trigger === undefined ? {} : { trigger }),
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /** How many commands run and wait. */
  load({ running, waiting }: { readonly running: number; readonly waiting: number }): void {
    const { metrics } = this.#tools;
    metrics.running.set(running, { hook: this.#metricName });
    metrics.waiting.set(waiting, { hook: this.#metricName });
  }

  /** Removes its gauges. */
  dispose(): void {
    const { running, waiting } = this.#tools.metrics;
    for (const gauge of [running, waiting]) gauge.remove({ hook: this.#metricName });
  }

  #failed(run: string, state: string, reason: string | undefined): void {
    this.statistics.count("failures", this.#now());
    if (state === "timed_out") this.statistics.count("timeouts", this.#now());
    const { kind } = this.#block;
    const fields = { [kind]: this.#name, run, state, reason };
    this.#tools.context.log.warn(`A ${kind}'s command failed`, fields);
  }

  #emit(what: string, fields: Fields): void {
    const { kind } = this.#block;
    this.#tools.context.events.emit(`${kind}.${what}`, { [kind]: this.#name, ...fields });
  }

  #now(): number {
    return this.#tools.context.clock.now();
  }

  get #name(): string {
    return this.#block.label ?? "";
  }

  /** Names of hooks as they are; a schedule may have the name of a hook. */
  get #metricName(): string {
    const { kind, key } = this.#block;
    return kind === "hook" ? this.#name : key;
  }
}
