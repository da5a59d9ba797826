/** The services of one plugin instance. Each lives in the instance's child container and ends with its `CleanupStack`. */
import { hostname } from "node:os";
import type { Clock, Directories, Log, Metrics, PluginContext } from "../plugin-api/context.js";
import type { Jobs, Runs, Store } from "../plugin-api/state.js";
import { CleanupStack } from "./cleanup-stack.js";
import { ownedClock } from "./clock.js";
import type { InstanceIdentity, ServiceOptions } from "./contract.js";
import { pluginDirectories } from "./directories.js";
import { EventRing } from "./events.js";
import {
  CLOCK,
  COMMANDS,
  type CommandHistory,
  type DependencyContainer,
  INSTANCE,
  inject,
  Lifecycle,
  OPTIONS,
  SPAWNER,
  scoped,
} from "./inject.js";
import { JobService } from "./jobs/job-service.js";
import { RootLog } from "./log.js";
import { Mask } from "./mask.js";
import { PrometheusRegistry } from "./metrics.js";
import { OwnedProcesses } from "./processes/processes.js";
import type { Spawner } from "./processes/spawner.js";
import { RunStore } from "./runs/run-store.js";
import { SharedConnection } from "./shared-connection.js";
import { Database } from "./store/database.js";
import { mapIn } from "./store/maps.js";
import { PluginDatabases } from "./store/plugin-databases.js";
import { addDamage } from "./store/state-damage.js";

export type InstanceServices = Omit<PluginContext, "http" | "files" | "services">;

@scoped(Lifecycle.ContainerScoped)
class InstanceBase {
  readonly log: Log;
  readonly directories: Directories;
  readonly #controller = new AbortController();
  readonly #plugin: string;

  constructor(
    @inject(INSTANCE) { plugin, configuration }: InstanceIdentity,
    @inject(OPTIONS) options: ServiceOptions,
    @inject(RootLog) rootLog: RootLog,
  ) {
    this.#plugin = plugin;
    this.log = rootLog.scoped(plugin);
    this.directories = pluginDirectories(options.directories, plugin, configuration);
  }

  /** Aborted when the instance stops. */
  get signal(): AbortSignal {
    return this.#controller.signal;
  }

  abort(): void {
    this.#controller.abort(new Error(`The plugin ${this.#plugin} is being stopped.`));
  }
}

@scoped(Lifecycle.ContainerScoped)
class InstanceMetrics {
  readonly metrics: Metrics;

  constructor(
    @inject(INSTANCE) { plugin }: InstanceIdentity,
    @inject(PrometheusRegistry) registry: PrometheusRegistry,
    @inject(CleanupStack) stack: CleanupStack,
  ) {
    const { metrics, release } = registry.owned(plugin);
    this.metrics = metrics;
    stack.defer("metrics", release);
  }
}

@scoped(Lifecycle.ContainerScoped)
class InstanceStore implements Store {
  readonly map: Store["map"];
  readonly database: Store["database"];
  /** This host, as the other daemons know it. */
  readonly host: string;

  constructor(
    @inject(INSTANCE) { plugin }: InstanceIdentity,
    @inject(InstanceBase) { log, directories }: InstanceBase,
    @inject(SharedConnection) { store }: SharedConnection,
    @inject(Database) database: Database,
    @inject(PluginDatabases) databases: PluginDatabases,
    @inject(OPTIONS) options: ServiceOptions,
    @inject(CLOCK) clock: Clock,
    @inject(CleanupStack) stack: CleanupStack,
  ) {
    const tables = store
      ? store.tables(plugin, clock)
      : databases.user({
          ...{ plugin, log, clock, directory: directories.state },
          damaged: (what, kept) =>
            addDamage(options.directories.state, {
              ...{ at: clock.now(), what, missing: 0 },
              ...(kept && { kept }),
            }),
        });
    stack.defer("tables", () => tables.release());
    this.host = store?.runs.host ?? hostname();
    this.database = (migrations) => tables.database(migrations);
    this.map = (name) => (store ? store.map(plugin, name) : mapIn(database, plugin, name));
  }
}

@scoped(Lifecycle.ContainerScoped)
class InstanceRuns {
  readonly runs: Runs;

  constructor(
    @inject(INSTANCE) { plugin, generation }: InstanceIdentity,
    @inject(RunStore) store: RunStore,
    @inject(CleanupStack) stack: CleanupStack,
  ) {
    const { runs, abandon } = store.owned(plugin, generation);
    this.runs = runs;
    stack.defer("runs", abandon);
  }
}

@scoped(Lifecycle.ContainerScoped)
class InstanceProcesses {
  readonly processes: OwnedProcesses;

  constructor(
    @inject(INSTANCE) { configuration: cwd }: InstanceIdentity,
    @inject(InstanceBase) { signal }: InstanceBase,
    @inject(Mask) mask: Mask,
    @inject(SPAWNER) spawner: Spawner,
    @inject(COMMANDS) commands: CommandHistory,
    @inject(CleanupStack) stack: CleanupStack,
  ) {
    const processes = new OwnedProcesses({ mask, spawner, cwd, signal, ...commands });
    this.processes = processes;
    stack.defer("processes", () => processes.idle());
  }
}

@scoped(Lifecycle.ContainerScoped)
class InstanceJobs {
  readonly jobs: Jobs;

  constructor(
    @inject(INSTANCE) { plugin }: InstanceIdentity,
    @inject(JobService) service: JobService,
    @inject(CleanupStack) stack: CleanupStack,
  ) {
    const { jobs, abandon } = service.owned(plugin);
    this.jobs = jobs;
    stack.defer("jobs", abandon);
  }
}

/** Resolved in this order, ended in the opposite one: jobs first, which may still use everything else. */
export function instanceServices(scope: DependencyContainer): InstanceServices {
  const { plugin } = scope.resolve<InstanceIdentity>(INSTANCE);
  const { log, directories, signal } = scope.resolve(InstanceBase);
  const { metrics } = scope.resolve(InstanceMetrics);
  const { map, database, host } = scope.resolve(InstanceStore);
  const { runs } = scope.resolve(InstanceRuns);
  const { processes } = scope.resolve(InstanceProcesses);
  const { jobs } = scope.resolve(InstanceJobs);
  const clock = ownedClock(scope.resolve<Clock>(CLOCK), signal);
  const events = scope.resolve(EventRing).scoped(plugin);
  return {
    ...{ id: plugin, host, log, events, metrics, store: { map, database } },
    ...{ jobs, runs, processes, clock, directories, signal },
  };
}

/** Aborts the instance's signal, then ends its services. @throws the first failure */
export async function closeScope(scope: DependencyContainer): Promise<void> {
  scope.resolve(InstanceBase).abort();
  await scope.resolve(CleanupStack).unwind();
}
