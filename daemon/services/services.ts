/** Composes what the daemon's parts share: one container a daemon, one child container a plugin instance. */
import { join } from "node:path";
import { errorMessage } from "../errors.js";
import type { Clock, Log } from "../plugin-api/context.js";
import { CleanupStack } from "./cleanup-stack.js";
import { realClock } from "./clock.js";
import { ActiveConditions } from "./conditions.js";
import type { DaemonServices, MetricsRegistry, ServiceOptions } from "./contract.js";
import type { DaemonServiceOptions } from "./daemon-service-options.js";
import { prepareDirectories } from "./directories.js";
import { EventRing } from "./events.js";
import {
  CLOCK,
  COMMANDS,
  type CommandHistory,
  container,
  type DependencyContainer,
  INSTANCE,
  LOG,
  OPTIONS,
  SPAWNER,
} from "./inject.js";
import { closeScope } from "./instance-services.js";
import { JobService } from "./jobs/job-service.js";
import { RootLog } from "./log.js";
import { Mask } from "./mask.js";
import { PrometheusRegistry } from "./metrics.js";
import { FastestSpawner } from "./processes/fastest-spawner.js";
import { PlainSpawner } from "./processes/plain-spawner.js";
import { ProcessRegistry } from "./processes/process-registry.js";
import { ClusterRuns } from "./runs/cluster-runs.js";
import { RunStore } from "./runs/run-store.js";
import { SharedConnection } from "./shared-connection.js";
import { backUp } from "./store/backup.js";
import { Database } from "./store/database.js";
import { PluginDatabases } from "./store/plugin-databases.js";
import { recordsIn } from "./store/records.js";
import { addDamage, readDamage } from "./store/state-damage.js";

/** One instance a daemon. */
export const SERVICES = [
  ...[Mask, RootLog, EventRing, PrometheusRegistry, PluginDatabases, SharedConnection],
  ...[ClusterRuns, ActiveConditions],
] as const;

/** @throws ReeveError when a directory or the database cannot be used. */
export async function openServices(options: DaemonServiceOptions): Promise<DaemonServices> {
  const { directories, clock = realClock } = options;
  const services = container.createChildContainer();
  services.registerInstance(OPTIONS, options).registerInstance(CLOCK, clock);
  for (const service of SERVICES) services.registerSingleton<unknown>(service);
  const rootLog = services.resolve(RootLog);
  const { log } = rootLog;
  services.registerInstance(LOG, log);
  prepareDirectories(directories);
  const stack = services.resolve(CleanupStack);
  stack.defer("log", () => rootLog.close());
  const events = services.resolve(EventRing);
  stack.defer("events", () => events.close());
  const { database, jobs, runs } = openStores(services, stack);
  const commands = openCommands(join(directories.state, "commands"), log);
  services.registerInstance(COMMANDS, commands);
  stack.defer("commands", () => commands.registry?.close());
  const spawner = new (options.commands === "plain" ? PlainSpawner : FastestSpawner)(
    directories.temporary,
  );
  services.registerInstance(SPAWNER, spawner);
  stack.defer("spawner", () => spawner.close());
  const shared = services.resolve(SharedConnection);
  stack.defer("shared database", () => {
    runs.flush();
    return shared.close(runs);
  });
  const instances = new Set<() => Promise<void>>();
  stack.defer("plugins", () => Promise.allSettled([...instances].map((close) => close())));
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= stack.unwind());
  try {
    await Promise.all([jobs.recover(), runs.recover()]);
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    ...{ log, logLines: rootLog.lines, clock, events },
    metrics: metricsWithDamage(services.resolve(PrometheusRegistry), directories.state),
    conditions: services.resolve(ActiveConditions),
    mask: services.resolve(Mask),
    runs: services.resolve(ClusterRuns),
    records: (namespace) => recordsIn(database, namespace),
    share: (address, signal) => shared.open(runs, jobs, address, signal),
    database: () => shared.store?.state,
    damage: () => readDamage(directories.state),
    backUp: (to, version) =>
      runs.keepingJournal(() => {
        const copyHostDatabase = (copy: string): Promise<void> => database.copyTo(copy);
        const { state } = directories;
        return backUp({ ...{ state, to, version, copyHostDatabase }, now: clock.now() });
      }),
    setLogLevel: (level) => rootLog.setLevel(level),
    setRunLimits: (limits) => runs.setLimits(limits),
    killCommands: () => commands.registry?.kill(),
    openScope: (instance) => {
      const scope = services.createChildContainer().registerInstance(INSTANCE, instance);
      const end = (): Promise<void> => {
        instances.delete(end);
        return closeScope(scope);
      };
      instances.add(end);
      return { scope, close: end };
    },
    close,
  };
}

/** Counted when they are read: a user may accept a loss while the daemon runs. */
function metricsWithDamage(registry: PrometheusRegistry, state: string): MetricsRegistry {
  const own = registry.scoped("state");
  const findings = own.gauge("damage_findings", "Findings of damage that was not accepted.");
  const missing = own.gauge("missing_records", "Acknowledged records that are missing.");
  return {
    contentType: registry.contentType,
    scoped: (prefix) => registry.scoped(prefix),
    text: () => {
      const damage = readDamage(state);
      findings.set(damage.length);
      missing.set(damage.reduce((sum, each) => sum + each.missing, 0));
      return registry.text();
    },
  };
}

interface Stores {
  readonly database: Database;
  readonly jobs: JobService;
  readonly runs: RunStore;
}

/** Damage may show only when tables are read; the second attempt then starts with a new file beside the damaged one. */
function openStores(services: DependencyContainer, stack: CleanupStack): Stores {
  try {
    return tryToOpenStores(services, stack);
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "store_damaged") throw thrown;
    return tryToOpenStores(services, stack);
  }
}

function tryToOpenStores(services: DependencyContainer, stack: CleanupStack): Stores {
  const { directories } = services.resolve<ServiceOptions>(OPTIONS);
  const clock = services.resolve<Clock>(CLOCK);
  const path = join(directories.state, "reeve.db");
  const log = services.resolve<Log>(LOG);
  const damaged = (what: string, kept?: string): void =>
    addDamage(directories.state, { at: clock.now(), what, missing: 0, ...(kept && { kept }) });
  const database = new Database({ path, log, now: () => clock.now(), damaged });
  const attempt = services.createChildContainer().registerInstance(Database, database);
  try {
    const jobs = attempt.resolve(JobService);
    const runs = attempt.resolve(RunStore);
    services.registerInstance(Database, database);
    services.registerInstance(JobService, jobs).registerInstance(RunStore, runs);
    stack.defer("database", () => database.close());
    stack.defer("runs", () => runs.close());
    return { database, jobs, runs };
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}

/** A daemon works without the file, so failing to open it is only logged. */
function openCommands(path: string, log: Log): CommandHistory {
  try {
    const registry = new ProcessRegistry(path);
    const count = registry.orphans;
    if (count === 0) return { registry, orphansGone: undefined };
    log.warn(`Ending ${count} commands that an earlier daemon left running.`, { count });
    return { registry, orphansGone: registry.endOrphans() };
  } catch (thrown) {
    log.warn(
      `Cannot write the process registry; orphans will survive a restart: ${errorMessage(thrown)}`,
    );
    return { registry: undefined, orphansGone: undefined };
  }
}
