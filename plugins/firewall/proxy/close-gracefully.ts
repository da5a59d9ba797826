/** Closes a client's connection without losing the last response. */
import type { Duplex } from "node:stream";

/** A client that does not close within this time is disconnected. */
const patienceMs = 2000;

/**
 * Writes the last bytes and waits until the client closes. Reads and drops what the client still sends: an unread
 * connection never ends, and closing one with unread bytes discards the response.
 */
export function closeGracefully(client: Duplex, bytes: string | Buffer): void {
  if (client.destroyed) return;
  client.on("error", () => client.destroy());
  if (!client.writableEnded) client.end(bytes);
  client.resume();
  const timer = setTimeout(() => client.destroy(), patienceMs);
  client.once("close", () => clearTimeout(timer));
}
