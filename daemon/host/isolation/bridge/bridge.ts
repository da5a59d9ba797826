/** The host's end of an isolated plugin's context. */

import type { ListenerClaims } from "../../../context/listener-claims.js";
import type { ServiceRegistry } from "../../../context/service-registry.js";
import type { PluginContext } from "../../../plugin-api/context.js";
import type { Dropped, HostMethods } from "../methods.js";
import type { Handlers } from "../peer.js";
import { databases } from "./databases.js";
import { servers } from "./http.js";
import type { PluginPeer } from "./plugin-peer.js";
import { maps, queues, records } from "./storage.js";
import { commands, services, watches } from "./system.js";
import { telemetry } from "./telemetry.js";

export interface BridgeOptions {
  readonly context: PluginContext;
  readonly claims: ListenerClaims;
  readonly registry: ServiceRegistry;
  /** The plugin's peer; set before its first call. */
  peer(): PluginPeer;
  /** The plugin did what it must not. */
  fault(reason: string): void;
  /** The plugin logged, emitted or measured more than it may. */
  dropped(counts: Dropped): void;
}

export interface Bridge {
  readonly handlers: Handlers<HostMethods>;
  /** The plugin's worker or process is gone. */
  close(): void;
}

export function buildBridge({
  context,
  claims,
  registry,
  peer,
  fault,
  dropped,
}: BridgeOptions): Bridge {
  const tables = databases(context, peer);
  return {
    handlers: {
      ...telemetry(context),
      ...maps(context),
      ...tables,
      ...queues(context, peer),
      ...records(context),
      ...servers(context, claims, peer),
      ...watches(context, peer),
      ...commands(context, peer),
      ...services(context, registry, peer),
      ...{ fault, dropped },
    },
    close: () => tables.close(),
  };
}
