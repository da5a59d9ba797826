/** Pipes two sockets into each other, with back-pressure and half-closes. */
import type { Socket } from "node:net";

export interface Spliced {
  readonly bytesSent: number;
  readonly bytesReceived: number;
}

const idleMs = 30 * 60_000;

/** Resolves when both sides have ended. The caller writes and counts bytes that it read before. */
export function splice(client: Socket, upstream: Socket): Promise<Spliced> {
  const before = [client.bytesRead, upstream.bytesRead] as const;
  return new Promise((resolve) => {
    let open = 2;
    // When one side closes, the other only sends what it still has.
    const closed = (other: Socket) => () => {
      other.destroySoon();
      open -= 1;
      if (open > 0) return;
      const [sent, received] = before;
      resolve({ bytesSent: client.bytesRead - sent, bytesReceived: upstream.bytesRead - received });
    };
    for (const [side, other] of [
      [client, upstream],
      [upstream, client],
    ] as const) {
      side.on("error", () => other.destroy());
      if (side.closed) {
        closed(other)();
        continue;
      }
      side.once("close", closed(other));
      side.setTimeout(idleMs, () => side.destroy());
      side.pipe(other);
    }
  });
}
