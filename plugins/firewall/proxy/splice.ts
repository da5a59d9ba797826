/** Pipes two sockets into each other, with back-pressure and half-closes. */
import type { Socket } from "node:net";
import type { Verdict } from "../policy/policy.js";
import { decisions } from "./context.js";
import { refusalStatus } from "./denial.js";
import type { ByteMeter } from "./request-limiter.js";

export interface Spliced {
  readonly bytesSent: number;
  readonly bytesReceived: number;
  /** Why the tunnel was cut, if it sent too much. */
  readonly refusal?: Verdict;
}

/** The fields of a tunnel's record. */
export function tunnelOutcome(verdict: Verdict, refusal: Verdict | undefined) {
  return refusal
    ? { status: refusalStatus(refusal), decision: decisions.denied, verdict: refusal }
    : { status: 200, decision: decisions.tunnel, verdict };
}

const idleMs = 30 * 60_000;

/** Resolves when both sides have ended. The caller writes and counts bytes that it read before. */
export function splice(client: Socket, upstream: Socket, meter?: ByteMeter): Promise<Spliced> {
  const before = [client.bytesRead, upstream.bytesRead] as const;
  let refusal: Verdict | undefined;
  const count = (bytes: Buffer) => {
    refusal ??= meter?.add(bytes.length);
    if (!refusal) return;
    // First, so that these bytes do not leave.
    upstream.destroy();
    client.destroy();
  };
  if (meter) client.on("data", count);
  return new Promise((resolve) => {
    let open = 2;
    // When one side closes, the other only sends what it still has.
    const closed = (other: Socket) => () => {
      other.destroySoon();
      open -= 1;
      if (open > 0) return;
      const [sent, received] = before;
      const bytesSent = client.bytesRead - sent;
      const bytesReceived = upstream.bytesRead - received;
      resolve({ bytesSent, bytesReceived, ...(refusal && { refusal }) });
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
