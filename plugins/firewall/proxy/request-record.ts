/** What the log says of an HTTP request. */
import type { IncomingMessage } from "node:http";
import { type Arrival, decisions, type Outcome, type ProxyContext, recordOf } from "./context.js";
import type { Upstream } from "./open-upstream.js";
import type { Decision } from "./request-decision.js";

/** Recorded where nobody is left to be answered; nginx's number for it. */
export const clientLeft = 499;

export function recordRequest(
  context: Pick<ProxyContext, "record">,
  asked: Pick<IncomingMessage, "httpVersion" | "method" | "headers">,
  arrival: Arrival,
  outcome: Omit<Outcome, "httpVersion" | "method" | "userAgent">,
): void {
  const { httpVersion, method = "-", headers } = asked;
  context.record(
    recordOf(arrival, { httpVersion, method, userAgent: headers["user-agent"], ...outcome }),
  );
}

/** Whoever asked is gone, so nothing is asked of the other side. */
export function leaveBehind(
  context: ProxyContext,
  asked: Parameters<typeof recordRequest>[1],
  arrival: Arrival,
  { stream, destination }: Upstream,
  { target, verdict }: Extract<Decision, { kind: "go" }>,
): void {
  stream.on("error", () => {}).destroy();
  const { host, url } = target;
  const decision = decisions.forwarded;
  const outcome = { host, url, status: clientLeft, decision, verdict, destination };
  recordRequest(context, asked, arrival, outcome);
}

/** The result field of a request that was not passed on. */
export function resultOf(status: number): string {
  if (status === 403) return decisions.denied;
  return status === 400 ? decisions.malformed : decisions.unreachable;
}
