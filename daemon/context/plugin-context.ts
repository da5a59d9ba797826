/** Everything an instance is given, and the way to take it back. */

import type { PluginSource } from "../catalog/source.js";
import type { ControlMounts, Listeners } from "../http/contract.js";
import type { Clock, PluginContext } from "../plugin-api/context.js";
import type { Files, Watch } from "../plugin-api/files.js";
import type { DaemonServices } from "../services/contract.js";
import { createHttp } from "./http.js";
import { ListenerClaims } from "./listener-claims.js";
import { PermissionGuard } from "./permission-guard.js";
import type { ServiceRegistry } from "./service-registry.js";

export interface ContextDependencies {
  readonly kit: DaemonServices;
  readonly listeners: Listeners;
  readonly mounts: ControlMounts;
  readonly files: Files;
  readonly registry: ServiceRegistry;
  readonly clock: Clock;
  /** Where the root file of the configuration is. */
  readonly configuration: string;
  readonly generation: () => number;
}

export interface InstanceContext {
  readonly context: PluginContext;
  readonly claims: ListenerClaims;
  /** Takes back everything but the doors: they may have to say that nobody is there. */
  dispose(): Promise<void>;
}

export async function createPluginContext(
  { description, isolation }: PluginSource,
  sources: ContextDependencies,
): Promise<InstanceContext> {
  const { id: plugin, permissions } = description;
  const { kit, registry, configuration, generation } = sources;
  const controller = new AbortController();
  const instance = Symbol(plugin);
  const { signal } = controller;
  const services = await kit.forPlugin({ plugin, generation, configuration, signal });
  const claims = new ListenerClaims(plugin, sources.listeners, sources.mounts);
  const watches = new Set<Watch>();
  const { log, processes, directories } = services.context;
  const guard = new PermissionGuard(permissions, isolation === "process", directories, log);
  claims.checkListen = (listen) => guard.listen(listen);
  const context: PluginContext = {
    ...services.context,
    http: createHttp(plugin, claims, log),
    files: closable(guard.files(sources.files), watches),
    processes: guard.processes(processes),
    services: registry.servicesFor(plugin, instance),
  };
  return {
    context,
    claims,
    async dispose() {
      controller.abort();
      registry.withdraw(instance);
      await Promise.all([...watches].map((watch) => watch.close()));
      await services.dispose();
    },
  };
}

/** Remembers what is watched, so that it ends with the instance. */
function closable(files: Files, watches: Set<Watch>): Files {
  return {
    async watch(patterns, options, changed) {
      const watch = await files.watch(patterns, options, changed);
      watches.add(watch);
      return {
        async close() {
          watches.delete(watch);
          await watch.close();
        },
      };
    },
  };
}
