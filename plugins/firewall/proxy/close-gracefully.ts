/** Last words to a client. */
import type { Duplex } from "node:stream";

/** A client that does not close after them is cut off. */
const patienceMs = 2000;

/**
 * Writes the last bytes and waits for the other side to close. What it still sends is read and dropped: a connection that
 * nobody reads never ends, and one that is closed with something unread takes the last bytes away from who they are for.
 */
export function closeGracefully(client: Duplex, bytes: string | Buffer): void {
  if (client.destroyed) return;
  client.on("error", () => client.destroy());
  if (!client.writableEnded) client.end(bytes);
  client.resume();
  const timer = setTimeout(() => client.destroy(), patienceMs);
  client.once("close", () => clearTimeout(timer));
}
