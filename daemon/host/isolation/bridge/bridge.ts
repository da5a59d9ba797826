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
import { telling } from "./telemetry.js";

export interface BridgeOptions {
  readonly context: PluginContext;
  readonly doors: ListenerClaims;
  readonly exchange: ServiceRegistry;
  /** The other side; there by the time that it asks for anything. */
  guest(): PluginPeer;
  /** The plugin did what it must not. */
  fault(reason: string): void;
}

export interface Bridge {
  readonly handlers: Handlers<HostMethods>;
  /** Nobody is on the other side any more. */
  close(): void;
}

export function buildBridge({ context, doors, exchange, guest, fault }: BridgeOptions): Bridge {
  const tables = databases(context, guest);
  return {
    handlers: {
      ...telling(context),
      ...maps(context),
      ...tables,
      ...queues(context, guest),
      ...records(context),
      ...servers(context, doors, guest),
      ...watches(context, guest),
      ...commands(context, guest),
      ...services(context, exchange, guest),
      fault,
    },
    close: () => tables.close(),
  };
}
