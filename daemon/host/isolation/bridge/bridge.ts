/** Everything a plugin on the far side of a border is given: each gift's end on the host's side. */

import type { ListenerClaims } from "../../../context/listener-claims.js";
import type { ServiceRegistry } from "../../../context/service-registry.js";
import type { PluginContext } from "../../../plugin-api/context.js";
import type { HostMethods } from "../methods.js";
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
  /** The other side; there by the time that it asks for anything. */
  peer(): PluginPeer;
  /** The plugin did what it must not. */
  fault(reason: string): void;
}

export interface Bridge {
  readonly handlers: Handlers<HostMethods>;
  /** Nobody is on the other side any more. */
  close(): void;
}

export function buildBridge({ context, claims, registry, peer, fault }: BridgeOptions): Bridge {
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
      fault,
    },
    close: () => tables.close(),
  };
}
