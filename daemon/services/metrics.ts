/** Prometheus metrics: one registry a daemon, a prefix a plugin, and nothing a plugin can do wrong that hurts others. */
import Counter from "prom-client/lib/counter.js";
import Gauge from "prom-client/lib/gauge.js";
import Histogram from "prom-client/lib/histogram.js";
import Registry from "prom-client/lib/registry.js";
import { ReeveError } from "../errors.js";
import type { HistogramOptions, Labels, Log, Metrics } from "../plugin-api/context.js";
import type { MetricsRegistry } from "./contract.js";
import { inject, injectable, LOG } from "./inject.js";
import { addProcessMetrics } from "./process-metrics.js";

/** Combinations of label values a metric; more is a label that holds ids. */
const mostSeries = 1000;

const metricName = /^[a-z][a-z0-9_]*$/;
const seconds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30, 60];

type Kind = "counter" | "gauge" | "histogram";

interface Declared {
  /** Kind, labels and buckets: what a second declaration must agree with. */
  readonly shape: string;
  readonly metric: Counter | Gauge | Histogram;
  readonly series: Series;
  /** Hands over what was counted since it was last asked for, which is seldom, while counting is not. */
  readonly flush: () => void;
  owner: object;
}

@injectable()
export class PrometheusRegistry implements MetricsRegistry {
  readonly #registry = new Registry();
  readonly #declared = new Map<string, Declared>();
  readonly #log: Log;

  constructor(@inject(LOG) log: Log) {
    this.#log = log;
    addProcessMetrics(this.#registry);
  }

  get contentType(): string {
    return this.#registry.contentType;
  }

  text(): Promise<string> {
    for (const { flush } of this.#declared.values()) flush();
    return this.#registry.metrics();
  }

  scoped(prefix: string): Metrics {
    return this.owned(prefix).metrics;
  }

  /** As `scoped`; `release` removes what was declared here and not again by another instance since. */
  owned(prefix: string): { readonly metrics: Metrics; release(): void } {
    const owner = {};
    const full = (name: string): string => {
      if (metricName.test(name)) return `reeve_${prefix.replaceAll("-", "_")}_${name}`;
      throw new ReeveError(
        "metric_invalid",
        `"${name}" is not a metric's name: it must be lower-case words joined by "_".`,
      );
    };
    const declare = <M extends Counter | Gauge | Histogram>(
      kind: Kind,
      name: string,
      labels: readonly string[],
      buckets: readonly number[],
      make: (options: { name: string; labelNames: string[]; registers: Registry[] }) => M,
      hand: (metric: M, labels: Labels, value: number) => void,
    ): { readonly metric: M; readonly series: Series } => {
      const fullName = full(name);
      const shape = JSON.stringify([kind, labels, buckets]);
      const before = this.#declared.get(fullName);
      if (before && before.shape !== shape) throw conflict(fullName, before.shape, shape);
      if (before) {
        before.owner = owner;
        return { metric: before.metric as M, series: before.series };
      }
      const registers = [this.#registry];
      const metric = make({ name: fullName, labelNames: [...labels], registers });
      const series = new Series(fullName, labels, this.#log);
      const flush = (): void => series.flush((of, value) => hand(metric, of, value));
      this.#declared.set(fullName, { shape, metric, series, flush, owner });
      return { metric, series };
    };
    return {
      metrics: {
        counter: (name, help, labels = []) => {
          const { series } = declare(
            "counter",
            name,
            labels,
            [],
            (options) => new Counter({ ...options, help }),
            (metric, of, value) => metric.inc(of, value),
          );
          return {
            add: (amount = 1, values = {}) => {
              const counted = amount >= 0 ? series.admit(amount, values) : undefined;
              if (counted) counted.value = (counted.value ?? 0) + amount;
            },
          };
        },
        gauge: (name, help, labels = []) => {
          const { metric, series } = declare(
            "gauge",
            name,
            labels,
            [],
            (options) => new Gauge({ ...options, help }),
            (of, labelled, value) => of.set(labelled, value),
          );
          return {
            set: (value, values = {}) => {
              const counted = series.admit(value, values);
              if (counted) counted.value = value;
            },
            remove: (values) => {
              if (series.forget(values)) metric.remove(values);
            },
          };
        },
        histogram: (name, help, options: HistogramOptions = {}) => {
          const { labels = [], buckets = seconds } = options;
          const { metric, series } = declare(
            "histogram",
            name,
            labels,
            buckets,
            (common) => new Histogram({ ...common, help, buckets: [...buckets] }),
            () => undefined,
          );
          return {
            observe: (value, values = {}) => {
              if (series.admit(value, values)) metric.observe(values, value);
            },
          };
        },
      },
      release: () => {
        for (const [name, declared] of this.#declared) {
          if (declared.owner !== owner) continue;
          this.#registry.removeSingleMetric(name);
          this.#declared.delete(name);
        }
      },
    };
  }
}

/** What has been counted under one combination of label values and not been handed over. */
interface Counted {
  readonly labels: Labels;
  value: number | undefined;
}

/** Which label values a metric has, and whether an observation is fit to be counted. A refusal is logged once. */
class Series {
  readonly #name: string;
  readonly #labels: readonly string[];
  readonly #log: Log;
  readonly #known = new Map<string, Counted>();
  readonly #logged = new Set<string>();
  /** Which combination was counted under last: it is often the next one, too. */
  #latest: Counted | undefined;

  constructor(name: string, labels: readonly string[], log: Log) {
    this.#name = name;
    this.#labels = labels;
    this.#log = log;
  }

  /** Where to count it; nowhere if it is not fit. */
  admit(value: number, labels: Labels): Counted | undefined {
    if (!Number.isFinite(value)) return this.#refuse("its value is not a number");
    for (const label in labels) {
      if (!this.#labels.includes(label)) {
        return this.#refuse(`the label "${label}" is not declared`);
      }
    }
    if (this.#latest && this.#isSame(this.#latest.labels, labels)) return this.#latest;
    const key = this.#key(labels);
    const known = this.#known.get(key);
    if (known) {
      this.#latest = known;
      return known;
    }
    if (this.#known.size >= mostSeries) {
      return this.#refuse(`it has more than ${mostSeries} combinations of label values`);
    }
    const counted = { labels: { ...labels }, value: undefined };
    this.#known.set(key, counted);
    return counted;
  }

  #isSame(one: Labels, other: Labels): boolean {
    for (const label of this.#labels) if (one[label] !== other[label]) return false;
    return true;
  }

  forget(labels: Labels): boolean {
    this.#latest = undefined;
    return this.#known.delete(this.#key(labels));
  }

  flush(hand: (labels: Labels, value: number) => void): void {
    for (const counted of this.#known.values()) {
      if (counted.value !== undefined) hand(counted.labels, counted.value);
      counted.value = undefined;
    }
  }

  #key(labels: Labels): string {
    let key = "";
    for (const label of this.#labels) key += `${labels[label] ?? "\u0001"}\0`;
    return key;
  }

  #refuse(why: string): undefined {
    if (!this.#logged.has(why)) {
      this.#logged.add(why);
      this.#log.warn(`An observation of the metric ${this.#name} was dropped: ${why}.`);
    }
    return undefined;
  }
}

const conflict = (name: string, before: string, now: string): ReeveError =>
  new ReeveError(
    "metric_conflict",
    `The metric ${name} is declared twice, and differently: ${before} and ${now}.`,
  );
