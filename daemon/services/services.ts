/** Opens what the daemon's parts share, in the order in which each needs the one before, and closes it the other way round. */
import { join } from "node:path";
import { errorMessage } from "../errors.js";
import type { Log } from "../plugin-api/context.js";
import { realClock } from "./clock.js";
import { createContextServices, type ServiceParts } from "./context-services.js";
import type { ContextServices, DaemonServices, ServiceOptions } from "./contract.js";
import { prepareDirectories } from "./directories.js";
import { EventRing } from "./events.js";
import { JobService } from "./jobs/job-service.js";
import { RootLog } from "./log.js";
import { Mask } from "./mask.js";
import { PrometheusRegistry } from "./metrics.js";
import { FastestSpawner } from "./processes/fastest-spawner.js";
import { PlainSpawner } from "./processes/plain-spawner.js";
import { ProcessRegistry } from "./processes/process-registry.js";
import { ClusterRuns } from "./runs/cluster-runs.js";
import type { RunReplicator } from "./runs/run-replicator.js";
import { RunStore } from "./runs/run-store.js";
import type { SharedStore } from "./shared/shared-store.js";
import { Database } from "./store/database.js";
import { PluginDatabases } from "./store/plugin-databases.js";
import { recordsIn } from "./store/records.js";

/** @throws ReeveError when a directory or the database cannot be used. */
export async function openServices(options: ServiceOptions): Promise<DaemonServices> {
  const { directories, clock = realClock } = options;
  const mask = new Mask();
  const rootLog = new RootLog({
    ...{ level: options.logLevel, format: options.logFormat, stream: options.logStream, mask },
  });
  const { log } = rootLog;
  const path = join(directories.state, "reeve.db");
  prepareDirectories(directories);
  const events = new EventRing({ clock, log, mask });
  let shared: SharedStore | undefined;
  let replicator: RunReplicator | undefined;
  const { database, jobs, runs } = twiceIfDamaged(() => {
    const opened = new Database({ path, log, now: () => clock.now() });
    return closing(opened, () => ({
      database: opened,
      jobs: new JobService({
        ...{ database: opened, clock, log, mask },
        shared: (plugin, queue) => shared?.queue(plugin, queue),
      }),
      runs: new RunStore({
        ...{ database: opened, directory: directories.state, clock, log, events, mask },
      }),
    }));
  });
  const processRegistry = ledgerAt(join(directories.state, "commands"), log);
  const parts: ServiceParts = {
    ...{ directories, rootLog, clock, events, mask, database, jobs, runs },
    metrics: new PrometheusRegistry(log),
    shared: () => shared,
    pluginDatabases: new PluginDatabases(),
    ...{ processRegistry, orphansGone: processRegistry && endOrphans(processRegistry, log) },
    spawner:
      options.commands === "plain"
        ? new PlainSpawner(directories.temporary)
        : new FastestSpawner(directories.temporary),
  };
  events.subscribe(({ plugin, type, data }) => {
    if (plugin !== undefined && !("daemon" in data)) shared?.send(plugin, type, data);
  });
  const contexts = new Set<ContextServices>();
  let closed: Promise<void> | undefined;
  const close = (): Promise<void> => (closed ??= closeAll());
  const closeAll = async (): Promise<void> => {
    await Promise.allSettled([...contexts].map((context) => context.dispose()));
    runs.flush();
    runs.changed = () => undefined;
    await replicator?.close();
    await shared?.close();
    await parts.spawner.close();
    processRegistry?.close();
    runs.close();
    database.close();
    events.close();
    rootLog.close();
  };
  try {
    await Promise.all([jobs.recover(), runs.recover()]);
  } catch (thrown) {
    await close();
    throw thrown;
  }
  return {
    ...{ log, logLines: rootLog.lines, clock, events, metrics: parts.metrics, mask },
    runs: new ClusterRuns(runs, clock, () => shared?.runs),
    records: (namespace) => recordsIn(database, namespace),
    share: async (database, signal) => {
      runs.changed = () => undefined;
      await replicator?.close();
      await shared?.close();
      replicator = undefined;
      shared = undefined;
      if (database === undefined) return;
      const [{ SharedStore }, { RunReplicator: ToldRuns }] = await Promise.all([
        import("./shared/shared-store.js"),
        import("./runs/run-replicator.js"),
      ]);
      const store = await SharedStore.open({ ...database, clock, log, signal });
      shared = store;
      const telling = new ToldRuns({
        ...{ shared: store.runs, log },
        records: (ids) => runs.records(ids),
        limits: () => runs.kept,
      });
      replicator = telling;
      runs.changed = (ids) => telling.changed(ids);
      await telling.begin();
      store.listen({
        jobs: (plugin, queue) => jobs.wake(plugin, queue),
        cancelled: (id) => jobs.cancelled(id),
        event: (plugin, type, data) => events.scoped(plugin).emit(type, data),
        away: (reason) => events.emit("store.away", { reason }),
        back: () => events.emit("store.back"),
      });
    },
    database: () => shared?.state,
    setLogLevel: (level) => rootLog.setLevel(level),
    setRunLimits: (limits) => runs.setLimits(limits),
    forPlugin: async (contextOptions) => {
      const context = createContextServices(parts, contextOptions);
      const owned: ContextServices = {
        context: context.context,
        dispose: async () => {
          contexts.delete(owned);
          await context.dispose();
        },
      };
      contexts.add(owned);
      return owned;
    },
    close,
  };
}

/** A daemon works without one, so trouble with it is only told. */
function ledgerAt(path: string, log: Log): ProcessRegistry | undefined {
  try {
    return new ProcessRegistry(path);
  } catch (thrown) {
    log.warn(`What runs cannot be noted for the next start: ${errorMessage(thrown)}`);
    return undefined;
  }
}

/** Resolves when nothing is left of what an earlier daemon was running; `undefined` where nothing was. */
function endOrphans(processRegistry: ProcessRegistry, log: Log): Promise<void> | undefined {
  const count = processRegistry.orphans;
  if (count === 0) return undefined;
  log.warn(`${count} commands of a daemon that is gone still ran, and are ended.`, { count });
  return processRegistry.endOrphans();
}

/** Damage that is met at the first look into the tables is put aside at the second opening. */
function twiceIfDamaged<Result>(open: () => Result): Result {
  try {
    return open();
  } catch (thrown) {
    if ((thrown as { code?: unknown }).code !== "store_damaged") throw thrown;
    return open();
  }
}

/** What `work` returns; the database is closed when it throws. */
function closing<Result>(database: Database, work: () => Result): Result {
  try {
    return work();
  } catch (thrown) {
    database.close();
    throw thrown;
  }
}
