/** Composes a daemon: every part once, and a cleanup step for each. */
import type { InjectionToken } from "tsyringe";
import { createCatalog } from "../catalog/catalog.js";
import { createHost } from "../host/host.js";
import { createControlServer } from "../http/control/control.js";
import { RouteMounts } from "../http/control/mounts.js";
import type { Identity } from "../http/control/status.js";
import { createListeners } from "../http/listeners/listeners.js";
import { createReloader } from "../reload/reloader.js";
import type { CleanupStack } from "../services/cleanup-stack.js";
import type { DaemonServiceOptions } from "../services/daemon-service-options.js";
import { type DependencyContainer, container as rootContainer } from "../services/inject.js";
import { openServices } from "../services/services.js";
import type { SourceSettings } from "../source/contract.js";
import { createNotifier } from "../systemd/notify.js";
import { createFileService } from "../watch/files.js";
import { DaemonToken } from "./tokens.js";

export interface Composition {
  readonly services: DaemonServiceOptions;
  readonly identity: Identity;
  /** The git repository that the configuration comes from, if it is not on disk. */
  readonly source?: SourceSettings | undefined;
  /** The control socket is for the group too. */
  readonly shared: boolean;
  readonly environment: NodeJS.ProcessEnv;
  /** Whether the daemon is shutting down. */
  readonly draining: () => boolean;
  /** Fires when what still runs is to be cut off. */
  readonly cut: AbortSignal;
  /** The log level stays what it is, whatever the configuration says. */
  readonly fixedLogLevel: boolean;
}

/**
 * Makes the parts in the order in which each needs those before it. What is on `stack` ends in the opposite order:
 * reading edits, accepting requests, plugins, the control API, and at last what all of them stand on.
 */
export async function compose(of: Composition, stack: CleanupStack): Promise<DependencyContainer> {
  const { identity, environment, cut } = of;
  const container = rootContainer.createChildContainer();
  const part = <Part>(token: InjectionToken<Part>, value: Part): Part => {
    container.registerInstance(token, value);
    return value;
  };

  const opened = await openServices(of.services);
  const kit = part(DaemonToken.kit, {
    ...opened,
    setLogLevel: (level) => {
      if (!of.fixedLogLevel) opened.setLogLevel(level);
    },
  });
  const { log, clock } = kit;
  stack.defer("services", () => kit.close());
  const notifier = part(DaemonToken.notifier, createNotifier({ environment, log }));
  stack.defer("systemd", () => notifier.close());
  const catalog = part(DaemonToken.catalog, createCatalog());
  stack.defer("catalog", () => catalog.close());
  const files = part(DaemonToken.files, createFileService({ log, clock }));
  stack.defer("files", () => files.close());
  const mounts = part(DaemonToken.mounts, new RouteMounts());
  const listeners = part(DaemonToken.listeners, await createListeners({ log, environment }));
  const configuration = identity.root;
  const host = part(
    DaemonToken.host,
    createHost({ kit, listeners, mounts, files, catalog, configuration, environment }),
  );
  const { root, stateDirectory: state } = identity;
  const printed = of.services.logFormat === "text";
  const sources = of.source && (await import("../source/source.js"));
  const git = sources && (() => sources.commitOf(root));
  const own = { root, state, kit, host, printed, ...(git && { git }) };
  const reloader = part(DaemonToken.reloader, await createReloader(own));
  const source =
    of.source &&
    sources?.createSource({
      settings: of.source,
      stateDirectory: state,
      kit,
      catalog,
      host: host.probe,
      reload: () => reloader.reload("source"),
    });
  part(DaemonToken.source, { source });
  const { draining, shared } = of;
  const subjects = { kit, host, reloader, listeners, identity, draining, source };
  const control = part(
    DaemonToken.control,
    await createControlServer(subjects, mounts, { shared }),
  );
  stack.defer("control", () => control.close());
  stack.defer("plugins", () => host.stop(cut));
  stack.defer("listeners", () => listeners.close(cut));
  stack.defer("reloader", () => reloader.stop());
  if (source) stack.defer("source", () => source.close());
  return container;
}
