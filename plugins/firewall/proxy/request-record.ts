/** Access log records of HTTP requests. */
import type { IncomingMessage } from "node:http";
import {
  type Arrival,
  accessRecord,
  decisions,
  type ProxyContext,
  type ProxyOutcome,
} from "./context.js";
import type { UpstreamConnection } from "./open-upstream.js";
import type { RequestDecision } from "./request-decision.js";

/** nginx's status for a client that leaves before the response. */
export const clientLeft = 499;

export function recordRequest(
  context: Pick<ProxyContext, "record">,
  incoming: Pick<IncomingMessage, "httpVersion" | "method" | "headers">,
  arrival: Arrival,
  outcome: Omit<ProxyOutcome, "httpVersion" | "method" | "userAgent">,
): void {
  const { httpVersion, method = "-", headers } = incoming;
  context.record(
    accessRecord(arrival, { httpVersion, method, userAgent: headers["user-agent"], ...outcome }),
  );
}

/** The client has left, so the proxy sends nothing upstream. */
export function recordClientLeft(
  context: ProxyContext,
  incoming: Parameters<typeof recordRequest>[1],
  arrival: Arrival,
  { stream, destination }: UpstreamConnection,
  { target, verdict }: Extract<RequestDecision, { kind: "go" }>,
): void {
  stream.on("error", () => {}).destroy();
  const { host, url } = target;
  const decision = decisions.forwarded;
  const outcome = { host, url, status: clientLeft, decision, verdict, destination };
  recordRequest(context, incoming, arrival, outcome);
}

/** The result field of a request that was not forwarded. */
export function resultOf(status: number): string {
  if (status === 403) return decisions.denied;
  return status === 400 ? decisions.malformed : decisions.unreachable;
}
