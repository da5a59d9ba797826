/** What a hook refuses: the latest kept in memory for whoever asks why, and told to whoever watches, but for a crowd's. */
import type { PluginContext } from "reeve/plugin";
import type { Incoming } from "../decide/incoming.js";
import type { Refusal } from "../decide/refusal.js";
import type { HookMetrics } from "../telemetry/metrics.js";

export interface Refused {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly trigger: string;
  readonly status: number;
  readonly reason: string;
  readonly detail: string | (() => string);
  readonly request: Incoming | undefined;
}

const KEPT = 10;
/** Bytes of a body that is kept: a thousand hooks may have been called by strangers. */
const LONGEST_BODY = 4096;
/** Milliseconds. */
const EXPLAIN_EVERY = 100;
/** Events in a second. A crowd would push everything else out of the daemon's memory, and cost more than refusing it. */
const MAX_EVENTS = 100;
const SECOND = 1000;

export interface RefusalTools {
  readonly context: Pick<PluginContext, "clock" | "events">;
  readonly metrics: Pick<HookMetrics, "requests">;
  /** Aborted when the plugin ends. */
  readonly signal: AbortSignal;
}

export class Refusals {
  readonly #tools: RefusalTools;
  readonly #kept: Refused[] = [];
  #next = 0;
  #explained = 0;
  /** When the second began that is counted in, and what was told and left out in it. */
  #began = 0;
  #reported = 0;
  #omitted = 0;

  constructor(tools: RefusalTools) {
    this.#tools = tools;
  }

  /** `from` is where it came from, in a few words. */
  add(hook: string, refusal: Refusal, from: string, request: Incoming | undefined): void {
    const { reason, status } = refusal;
    const { context, metrics } = this.#tools;
    const at = context.clock.now();
    metrics.requests.add(1, { hook, outcome: reason });
    const isSmall = request !== undefined && request.body.length <= LONGEST_BODY;
    const isReported = this.#mayReport(hook, at);
    // A cause that is not worked out yet holds on to the whole request.
    const detail = isReported || !isSmall ? this.#detail(refusal, at) : "";
    this.#kept[this.#next] = {
      ...{ at, trigger: from, status, reason },
      detail: isSmall ? (refusal.cause ?? refusal.detail) : detail,
      request: isSmall ? request : undefined,
    };
    this.#next = (this.#next + 1) % KEPT;
    if (isReported) {
      context.events.emit("hook.rejected", { hook, status, reason, detail, trigger: from });
    }
  }

  /** Newest first. */
  list(): readonly Refused[] {
    return [...this.#kept.slice(this.#next), ...this.#kept.slice(0, this.#next)].reverse();
  }

  /** A crowd is not explained one by one. */
  #detail({ cause, detail }: Refusal, now: number): string {
    if (typeof cause !== "function") return cause ?? detail;
    if (now - this.#explained < EXPLAIN_EVERY) return detail;
    this.#explained = now;
    return cause();
  }

  #mayReport(hook: string, now: number): boolean {
    if (now - this.#began >= SECOND || now < this.#began) {
      this.#began = now;
      this.#reported = 0;
    }
    if (this.#reported < MAX_EVENTS) {
      this.#reported += 1;
      return true;
    }
    this.#omitted += 1;
    // Nobody wants to know when the plugin has ended.
    if (this.#omitted === 1) this.#reportOmitted(hook).catch(() => undefined);
    return false;
  }

  /** Says a little later how many were left out. */
  async #reportOmitted(hook: string): Promise<void> {
    const { context, signal } = this.#tools;
    await context.clock.sleep(SECOND, signal);
    const count = this.#omitted;
    this.#omitted = 0;
    context.events.emit("hook.rejected_more", { hook, count });
  }
}
