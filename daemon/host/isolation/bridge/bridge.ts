/** Everything a plugin on the far side of a border is given: each gift's end on the host's side. */
import type { PluginContext } from "../../../plugin-api/context.js";
import type { HttpDoors } from "../../gifts/http-doors.js";
import type { ServiceExchange } from "../../gifts/services.js";
import type { HostMethods } from "../methods.js";
import type { Handlers } from "../peer.js";
import { databases } from "./databases.js";
import type { GuestPeer } from "./guest-peer.js";
import { servers } from "./http.js";
import { maps, queues, records } from "./keeping.js";
import { telling } from "./telling.js";
import { commands, services, watches } from "./touching.js";

export interface BridgeOptions {
  readonly context: PluginContext;
  readonly doors: HttpDoors;
  readonly exchange: ServiceExchange;
  /** The other side; there by the time that it asks for anything. */
  guest(): GuestPeer;
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
