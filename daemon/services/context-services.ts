/** What one instance of a plugin is given, and how it is taken back. */
import { hostname } from "node:os";
import type { Clock } from "../plugin-api/context.js";
import { ownedClock } from "./clock.js";
import type {
  ContextServiceOptions,
  ContextServices,
  EventBus,
  ServiceOptions,
} from "./contract.js";
import { pluginDirectories } from "./directories.js";
import type { JobService } from "./jobs/job-service.js";
import type { RootLog } from "./log.js";
import type { Mask } from "./mask.js";
import type { PrometheusRegistry } from "./metrics.js";
import type { ProcessRegistry } from "./processes/process-registry.js";
import { OwnedProcesses } from "./processes/processes.js";
import type { Spawner } from "./processes/spawner.js";
import type { RunStore } from "./runs/run-store.js";
import type { SharedStore } from "./shared/shared-store.js";
import type { Database } from "./store/database.js";
import { mapIn } from "./store/maps.js";
import type { PluginDatabases } from "./store/plugin-databases.js";

export interface ServiceParts {
  readonly directories: ServiceOptions["directories"];
  readonly rootLog: RootLog;
  readonly clock: Clock;
  readonly events: EventBus;
  readonly metrics: PrometheusRegistry;
  readonly mask: Mask;
  readonly database: Database;
  readonly pluginDatabases: PluginDatabases;
  /** What daemons share, where they do. */
  readonly shared: () => SharedStore | undefined;
  readonly jobs: JobService;
  readonly runs: RunStore;
  readonly spawner: Spawner;
  readonly processRegistry: ProcessRegistry | undefined;
  readonly orphansGone: Promise<unknown> | undefined;
}

export function createContextServices(
  parts: ServiceParts,
  options: ContextServiceOptions,
): ContextServices {
  const { plugin, generation, configuration } = options;
  const gone = new AbortController();
  const signal = AbortSignal.any([options.signal, gone.signal]);
  const log = parts.rootLog.scoped(plugin);
  const directories = pluginDirectories(parts.directories, plugin, configuration);
  const metrics = parts.metrics.owned(plugin);
  const jobs = parts.jobs.owned(plugin);
  const runs = parts.runs.owned(plugin, generation);
  const shared = parts.shared();
  const tables = shared
    ? shared.tables(plugin, parts.clock)
    : parts.pluginDatabases.user({
        ...{ plugin, log, clock: parts.clock },
        directory: directories.state,
      });
  const processes = new OwnedProcesses({
    ...{ mask: parts.mask, spawner: parts.spawner, cwd: configuration, signal },
    ...{ registry: parts.processRegistry, orphansGone: parts.orphansGone },
  });
  return {
    context: {
      id: plugin,
      host: shared?.runs.host ?? hostname(),
      log,
      events: parts.events.scoped(plugin),
      metrics: metrics.metrics,
      store: {
        map: (name) => (shared ? shared.map(plugin, name) : mapIn(parts.database, plugin, name)),
        database: (migrations) => tables.database(migrations),
      },
      jobs: jobs.jobs,
      runs: runs.runs,
      processes,
      clock: ownedClock(parts.clock, signal),
      directories,
      signal,
    },
    async dispose() {
      gone.abort(new Error(`The plugin ${plugin} is being stopped.`));
      const abandoned = jobs.abandon();
      await processes.idle();
      const outcomes = await Promise.allSettled([abandoned, runs.abandon(), tables.release()]);
      metrics.release();
      for (const outcome of outcomes) if (outcome.status === "rejected") throw outcome.reason;
    },
  };
}
