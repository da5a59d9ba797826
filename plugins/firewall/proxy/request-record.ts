/** Access log records of HTTP requests. */
import type { IncomingMessage } from "node:http";
import type { AccessRecord } from "../log/entry.js";
import {
  type Arrival,
  accessRecord,
  decisions,
  type ProxyContext,
  type ProxyOutcome,
} from "./context.js";
import type { UpstreamConnection } from "./open-upstream.js";
import type { RequestDecision } from "./request-decision.js";
import { secretRule } from "./secret-scanner.js";

/** nginx's status for a client that leaves before the response. */
export const clientLeft = 499;

export function recordRequest(
  context: Pick<ProxyContext, "record">,
  incoming: Pick<IncomingMessage, "httpVersion" | "method" | "headers">,
  arrival: Arrival,
  outcome: Omit<ProxyOutcome, "httpVersion" | "method" | "userAgent">,
): void {
  const { httpVersion, method = "-", headers } = incoming;
  const written = { httpVersion, method, userAgent: headers["user-agent"], ...outcome };
  const record = accessRecord(arrival, written);
  context.record(outcome.verdict.rule === secretRule ? withoutSecret(record) : record);
}

/** User agent and command line may contain the secret. */
function withoutSecret(record: AccessRecord): AccessRecord {
  const { requester } = record;
  const shown = requester && { requester: { ...requester, cmdline: requester.comm } };
  return { ...record, userAgent: "-", ...shown };
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
  if (status === 403 || status === 429) return decisions.denied;
  return status === 400 ? decisions.malformed : decisions.unreachable;
}
