/** Log, events and metrics of an isolated plugin. They never wait. */
import type { Events, Fields, Log, Metrics } from "../../../plugin-api/context.js";
import { plain } from "../plain.js";
import type { HostPeer } from "./host-peer.js";

export function createLog(host: HostPeer, bound: Fields = {}): Log {
  const line =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, fields: Fields = {}): void =>
      host.notify("log", {
        level,
        message: String(message),
        fields: plain({ ...bound, ...fields }),
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
  emit: (type, data) => host.notify("emit", { type, data: plain(data) }),
});

export function createMetrics(host: HostPeer): Metrics {
  return {
    counter(name, help, labels) {
      const kind = "counter";
      host.notify("metric", { kind, name, help, labels, options: undefined });
      return {
        add: (value = 1, given) => host.notify("measure", { kind, name, value, labels: given }),
      };
    },
    gauge(name, help, labels) {
      const kind = "gauge";
      host.notify("metric", { kind, name, help, labels, options: undefined });
      return {
        set: (value, given) => host.notify("measure", { kind, name, value, labels: given }),
        remove: (given) => host.notify("measure", { kind, name, value: undefined, labels: given }),
      };
    },
    histogram(name, help, options) {
      const kind = "histogram";
      host.notify("metric", { kind, name, help, labels: undefined, options });
      return {
        observe: (value, given) => host.notify("measure", { kind, name, value, labels: given }),
      };
    },
  };
}
