/** Refused requests of a hook: the latest are kept in memory, all are counted, and events are limited in rate. */
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
/** Bytes of a stored body: thousands of hooks may be called by unknown senders. */
const LONGEST_BODY = 4096;
/** Milliseconds. */
const EXPLAIN_EVERY = 100;
/** Events a second. More would displace all others from the event ring, and cost more than the refusal. */
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
  /** Start of the current second; events reported and omitted in it. */
  #began = 0;
  #reported = 0;
  #omitted = 0;

  constructor(tools: RefusalTools) {
    this.#tools = tools;
  }

  /** `from`: `POST /hooks/deploy from 192.0.2.7`. */
  add(hook: string, refusal: Refusal, from: string, request: Incoming | undefined): void {
    const { reason, status } = refusal;
    const { context, metrics } = this.#tools;
    const at = context.clock.now();
    metrics.requests.add(1, { hook, outcome: reason });
    const isSmall = request !== undefined && request.body.length <= LONGEST_BODY;
    const isReported = this.#mayReport(hook, at);
    // A cause that is not evaluated yet would retain the whole request.
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

  /** Evaluates a cause at most ten times a second. */
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
    // Rejects when the plugin stops.
    if (this.#omitted === 1) this.#reportOmitted(hook).catch(() => undefined);
    return false;
  }

  /** Reports the number of omitted events a second later. */
  async #reportOmitted(hook: string): Promise<void> {
    const { context, signal } = this.#tools;
    await context.clock.sleep(SECOND, signal);
    const count = this.#omitted;
    this.#omitted = 0;
    context.events.emit("hook.rejected_more", { hook, count });
  }
}
