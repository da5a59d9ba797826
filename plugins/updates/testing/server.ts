/** Common parts of test servers. */
import { createHash } from "node:crypto";
import { once } from "node:events";
import type { Server } from "node:http";
import type { Server as SecureServer } from "node:https";
import type { AddressInfo } from "node:net";

/** The URL of a server that listens on loopback. */
export function urlOf(server: Server): string {
  const { address, port } = server.address() as AddressInfo;
  return `http://${address.startsWith("127.") ? address : "127.0.0.1"}:${port}`;
}

/** Below those that a system gives to others. */
const PORT = 20_480;

/**
 * Listens on loopback. With a name, which no other server of a run has, at the same address in each run where that is free:
 * some lock files have a sum of the address.
 */
export async function listening(server: Server, name?: string): Promise<void> {
  if (name !== undefined) {
    const numbers = createHash("sha256").update(name).digest().subarray(0, 3);
    server.listen(PORT, `127.${numbers.join(".")}`);
    if (await once(server, "listening").then(Boolean, () => false)) return;
  }
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
}

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
