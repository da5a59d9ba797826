/** What is wrong with the daemon or its machine at present, since when; it is raised and cleared, never only logged. */
import type { Clock, Log, Metrics } from "../plugin-api/context.js";
import type { ConditionFinding, Conditions, DaemonCondition } from "./contract.js";
import { EventRing } from "./events.js";
import { CLOCK, inject, injectable, LOG } from "./inject.js";
import { PrometheusRegistry } from "./metrics.js";

@injectable()
export class ActiveConditions implements Conditions {
  readonly #clock: Clock;
  readonly #log: Log;
  readonly #events: EventRing;
  readonly #gauge: ReturnType<Metrics["gauge"]>;
  /** By source and identity. */
  readonly #active = new Map<string, DaemonCondition>();

  constructor(
    @inject(CLOCK) clock: Clock,
    @inject(LOG) log: Log,
    @inject(EventRing) events: EventRing,
    @inject(PrometheusRegistry) metrics: PrometheusRegistry,
  ) {
    this.#clock = clock;
    this.#log = log;
    this.#events = events;
    const help = "Conditions that last at present, by code.";
    this.#gauge = metrics.scoped("daemon").gauge("conditions", help, ["code"]);
  }

  list(): readonly DaemonCondition[] {
    return [...this.#active.values()].sort(
      (a, b) => Number(b.isUnready) - Number(a.isUnready) || a.since - b.since,
    );
  }

  report(source: string, found: readonly ConditionFinding[]): void {
    const now = new Map(found.map((each) => [identityOf(source, each), each] as const));
    for (const [key, condition] of this.#active) {
      if (!key.startsWith(`${source}\0`) || now.has(key)) continue;
      this.#active.delete(key);
      this.#announce("cleared", condition);
    }
    for (const [key, each] of now) {
      const before = this.#active.get(key);
      const condition = { ...each, since: before?.since ?? each.since ?? this.#clock.now() };
      this.#active.set(key, condition);
      if (!before) this.#announce("raised", condition);
    }
  }

  #announce(change: "raised" | "cleared", { code, reason, subject, since }: DaemonCondition): void {
    const active = [...this.#active.values()].filter((each) => each.code === code);
    this.#gauge.set(active.length, { code });
    const fields = { code, reason, ...(subject !== undefined && { subject }), since };
    this.#events.emit(`condition.${change}`, fields);
    if (change === "raised") this.#log.warn(reason, { code, subject });
    else this.#log.info("A condition is over", { code, subject, reason });
  }
}

const identityOf = (source: string, { code, subject = "" }: ConditionFinding): string =>
  [source, code, subject].join("\0");
