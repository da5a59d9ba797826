/** What all servers of the tests do alike. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";

/** Of one that listens on this machine. */
export const urlOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Whoever is still connected is cut off. */
export async function closed(server: Server | SecureServer): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}
