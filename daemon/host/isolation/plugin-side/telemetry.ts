/** Log, events and metrics of an isolated plugin. They never wait. */
import type { Events, Fields, Labels, Log, Metrics } from "../../../plugin-api/context.js";
import type { Measurement, MetricKind } from "../methods.js";
import { cutText, plain } from "../plain.js";
import type { HostPeer } from "./host-peer.js";

/** Characters. The log itself cuts to less, after it has removed secrets. */
const LONGEST_LINE = 32 * 1024;
const LONGEST_EVENT = 1024 * 1024;

export function createLog(host: HostPeer, bound: Fields = {}): Log {
  const line =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, fields: Fields = {}): void =>
      host.notify("log", {
        level,
        message: cutText(String(message), LONGEST_LINE),
        fields: plain({ ...bound, ...fields }, LONGEST_LINE),
      });
  return {
    debug: line("debug"),
    info: line("info"),
    warn: line("warn"),
    error: line("error"),
    child: (fields) => createLog(host, { ...bound, ...fields }),
  };
}

export const createEvents = (host: HostPeer): Events => ({
  emit: (type, data) => host.notify("emit", { type, data: plain(data, LONGEST_EVENT) }),
});

/** Milliseconds between two messages with measurements, except before answers. */
const INTERVAL = 100;
/** Measurements that wait to be sent. */
const LIMIT = 1_000;

/** Sums counters, keeps the last value of gauges and collects observations until the next message. */
export class RemoteMetrics {
  readonly #host: HostPeer;
  readonly #waiting = new Map<
    string,
    Measurement & { readonly values: Array<number | undefined> }
  >();
  #count = 0;
  #dropped = 0;
  #timer: NodeJS.Timeout | undefined;
  #sent = Number.NEGATIVE_INFINITY;

  constructor(host: HostPeer) {
    this.#host = host;
  }

  readonly api: Metrics = {
    counter: (name, help, labels) => {
      const kind = "counter";
      this.#host.notify("metric", { kind, name, help, labels, options: undefined });
      return { add: (value = 1, given) => this.#note(kind, name, value, given) };
    },
    gauge: (name, help, labels) => {
      const kind = "gauge";
      this.#host.notify("metric", { kind, name, help, labels, options: undefined });
      return {
        set: (value, given) => this.#note(kind, name, value, given),
        remove: (given) => this.#note(kind, name, undefined, given),
      };
    },
    histogram: (name, help, options) => {
      const kind = "histogram";
      this.#host.notify("metric", { kind, name, help, labels: undefined, options });
      return { observe: (value, given) => this.#note(kind, name, value, given) };
    },
  };

  /** Sends what waits. */
  flush(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    if (this.#count === 0) return;
    this.#sent = performance.now();
    const measurements = [...this.#waiting.values()];
    this.#waiting.clear();
    this.#count = 0;
    this.#host.notify("measure", measurements);
    if (this.#dropped === 0) return;
    this.#host.notify("dropped", { measure: this.#dropped });
    this.#dropped = 0;
  }

  #note(kind: MetricKind, name: string, value: number | undefined, given?: Labels): void {
    const labels = plain(given);
    const key = JSON.stringify([name, labels]);
    const values = this.#waiting.get(key)?.values ?? [];
    const replaces = kind !== "histogram" && values.length > 0;
    if (!replaces && this.#count === LIMIT) {
      this.#dropped += 1;
      return;
    }
    if (!replaces) this.#count += 1;
    if (kind === "counter") values[0] = (values[0] ?? 0) + Number(value);
    else if (kind === "gauge") values[0] = value;
    else values.push(value);
    this.#waiting.set(key, { kind, name, labels, values });
    this.#timer ??= setTimeout(() => this.flush(), this.#sent + INTERVAL - performance.now());
  }
}
