/** Everything a plugin instance may use, made in a child container of its own. */
import type { PluginSource } from "../catalog/source.js";
import type { ControlMounts, Listeners } from "../http/contract.js";
import type { PluginContext } from "../plugin-api/context.js";
import type { Files, Watch } from "../plugin-api/files.js";
import { CleanupStack } from "../services/cleanup-stack.js";
import type { DaemonServices } from "../services/contract.js";
import { instanceServices } from "../services/instance-services.js";
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
  /** Directory of the configuration's root file. */
  readonly configuration: string;
  readonly generation: () => number;
}

export interface InstanceContext {
  readonly context: PluginContext;
  readonly claims: ListenerClaims;
  /** Ends everything but the claims, which answer "not ready" until a new instance takes over. */
  dispose(): Promise<void>;
}

export function createPluginContext(
  { description, isolation }: PluginSource,
  { kit, listeners, mounts, files, registry, configuration, generation }: ContextDependencies,
): InstanceContext {
  const { id: plugin, permissions } = description;
  const { scope, close } = kit.openScope({ plugin, generation, configuration });
  const services = instanceServices(scope);
  const { log, processes, directories } = services;
  const guard = new PermissionGuard(permissions, isolation === "process", directories, log);
  const claims = new ListenerClaims(plugin, listeners, mounts, (listen) => guard.listen(listen));
  const stack = scope.resolve(CleanupStack);
  const instance = Symbol(plugin);
  const context: PluginContext = {
    ...services,
    http: createHttp(plugin, claims, log),
    files: closedWith(stack, guard.files(files)),
    processes: guard.processes(processes),
    services: registry.servicesFor(plugin, instance),
  };
  stack.defer("services", () => registry.withdraw(instance));
  return { context, claims, dispose: close };
}

/** Ends every open watch with the instance. */
function closedWith(stack: CleanupStack, files: Files): Files {
  const watches = new Set<Watch>();
  stack.defer("watches", () => Promise.all([...watches].map((watch) => watch.close())));
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
