/** Common parts of test servers. */
import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";

/** The URL of a server that listens on loopback. */
export const urlOf = (server: Server): string =>
  `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

/** Closes open connections too. */
export async function closed(server: Server | SecureServer): Promise<void> {
  server.closeAllConnections();
  server.close();
  await once(server, "close");
}

/** In an `Authorization` header of any scheme; the password of `Basic`. */
export function tokenOf(header: string): string {
  const [scheme, rest = ""] = header.split(" ");
  if (scheme?.toLowerCase() !== "basic") return rest;
  return Buffer.from(rest, "base64").toString("utf8").split(":").slice(1).join(":");
}
