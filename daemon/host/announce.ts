/** Log lines, events and metrics about plugins. */
import type { Isolation } from "../plugin-api/descriptor.js";
import type { StopReason } from "../plugin-api/plugin.js";
import type { DaemonServices } from "../services/contract.js";
import type { Dropped } from "./isolation/methods.js";

export interface Announcements {
  started(plugin: string, isolation: Isolation): void;
  stopped(plugin: string, reason: StopReason): void;
  /** It will be started again at `retryAt`, in milliseconds since the epoch. */
  failed(plugin: string, reason: string, retryAt: number): void;
  quarantined(plugin: string, reason: string): void;
  released(plugin: string): void;
  /** It logged, emitted or measured more than it may. */
  dropped(plugin: string, counts: Dropped): void;
}

export function announcements({ log, events, metrics }: DaemonServices): Announcements {
  const own = metrics.scoped("plugin");
  const failures = own.counter("failures_total", "Times a plugin crashed, hung or was unhealthy.", [
    "plugin",
  ]);
  const up = own.gauge("up", "1 while the plugin runs, 0 while it is down.", ["plugin"]);
  const drops = own.counter(
    "dropped_total",
    "Log lines, events and measurements of a plugin that were dropped because there were too many.",
    ["plugin", "what"],
  );
  /** Plugins that dropped something since they were started. */
  const warned = new Set<string>();
  return {
    started(plugin, isolation) {
      warned.delete(plugin);
      up.set(1, { plugin });
      events.emit("plugin.started", { plugin, isolation });
    },
    stopped(plugin, reason) {
      up.remove({ plugin });
      events.emit("plugin.stopped", { plugin, reason });
    },
    failed(plugin, reason, retryAt) {
      up.set(0, { plugin });
      failures.add(1, { plugin });
      log.error(`The plugin ${plugin} failed and restarts: ${reason}`);
      events.emit("plugin.failed", { plugin, reason, retryAt });
    },
    quarantined(plugin, reason) {
      up.set(0, { plugin });
      failures.add(1, { plugin });
      log.error(`The plugin ${plugin} failed too often and is in quarantine: ${reason}`);
      events.emit("plugin.quarantined", { plugin, reason });
    },
    dropped(plugin, counts) {
      for (const what of ["log", "emit", "measure"] as const) {
        drops.add(counts[what] ?? 0, { plugin, what });
      }
      if (warned.has(plugin)) return;
      warned.add(plugin);
      log.warn(
        `The plugin ${plugin} logs, emits or measures too much; some of it is dropped. reeve_plugin_dropped_total counts it.`,
      );
    },
    released(plugin) {
      events.emit("plugin.released", { plugin });
    },
  };
}
