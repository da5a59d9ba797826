/** The host's end of log, events, metrics and the clock. No caller waits for these, so errors are logged. */
import { errorMessage } from "../../../errors.js";
import type { Counter, Gauge, Histogram, PluginContext } from "../../../plugin-api/context.js";
import type { Measurement } from "../methods.js";
import { type BridgePart, Handles } from "./plugin-peer.js";

export function telemetry({
  log,
  events,
  metrics,
  clock,
}: PluginContext): BridgePart<"log" | "emit" | "metric" | "measure" | "sleep"> {
  const counters = new Handles<string, Counter>("counter");
  const gauges = new Handles<string, Gauge>("gauge");
  const histograms = new Handles<string, Histogram>("histogram");
  const careful =
    <Argument>(work: (argument: Argument) => void) =>
    (argument: Argument): void => {
      try {
        work(argument);
      } catch (thrown) {
        log.warn(errorMessage(thrown));
      }
    };
  const measure = careful(({ kind, name, labels, values }: Measurement) => {
    for (const value of values) {
      if (kind === "counter") counters.get(name).add(value, labels);
      else if (kind === "histogram") histograms.get(name).observe(value ?? 0, labels);
      else if (value === undefined) gauges.get(name).remove(labels ?? {});
      else gauges.get(name).set(value, labels);
    }
  });
  return {
    log: ({ level, message, fields }) => log[level](message, fields),
    emit: careful(({ type, data }) => events.emit(type, data)),
    metric: careful(({ kind, name, help, labels, options }) => {
      if (kind === "counter") counters.set(name, metrics.counter(name, help, labels));
      else if (kind === "gauge") gauges.set(name, metrics.gauge(name, help, labels));
      else histograms.set(name, metrics.histogram(name, help, options));
    }),
    measure: (measurements) => measurements.forEach(measure),
    async sleep(milliseconds, signal) {
      await clock.sleep(milliseconds, signal);
      return clock.now();
    },
  };
}
