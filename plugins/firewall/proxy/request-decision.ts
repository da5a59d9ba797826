/** Decides about an HTTP request before the proxy opens any connection for it. */
import type { IncomingMessage } from "node:http";
import type { Verdict } from "../policy/policy.js";
import type { ProxyContext } from "./context.js";
import { refusalStatus } from "./denial.js";
import { framingProblem } from "./framing.js";
import { rawHeaderValues } from "./headers.js";
import type { WaitingClient } from "./questions.js";
import { type ByteMeter, isRefusal } from "./request-limiter.js";
import { type RequestOrigin, type RequestTarget, requestTarget } from "./request-target.js";
import { secretRefusal, secretRule } from "./secret-scanner.js";

export type ForwardTarget = Extract<RequestTarget, { kind: "target" }>;

export type RequestDecision =
  | {
      readonly kind: "go";
      readonly target: ForwardTarget;
      readonly verdict: Verdict;
      /** Counts what the request sends. */
      readonly meter?: ByteMeter;
    }
  | {
      readonly kind: "stop";
      readonly status: number;
      readonly host: string;
      readonly url: string;
      readonly verdict: Verdict;
    };

/** The same as `decideRequest`, once the user has answered where the policy has no entry. */
export function decideOrAsk(
  context: ProxyContext,
  incoming: Parameters<typeof decideRequest>[1],
  origin: RequestOrigin,
  client: () => WaitingClient,
  upgrades = false,
): RequestDecision | Promise<RequestDecision> {
  const decision = decideRequest(context, incoming, origin, upgrades);
  const { questions } = context;
  if (decision.kind !== "stop" || !questions?.asks(decision.verdict, decision.host))
    return decision;
  const { host } = decision;
  return questions.ask(host, "http", client()).then((answer): RequestDecision => {
    if (!answer.allowed) return { ...decision, verdict: answer };
    return decideRequest(context, incoming, origin, upgrades, answer);
  });
}

/**
 * Checks the request's framing and target, then asks the policy.
 * @param answer the user's, for a name that the policy does not have
 */
export function decideRequest(
  context: ProxyContext,
  incoming: Pick<IncomingMessage, "method" | "url" | "rawHeaders" | "httpVersion">,
  origin: RequestOrigin,
  upgrades = false,
  answer?: Verdict,
): RequestDecision {
  const hosts = rawHeaderValues(incoming.rawHeaders, "host");
  const problem = framingProblem(incoming, upgrades);
  const target =
    problem === undefined
      ? requestTarget({ target: incoming.url ?? "", hosts }, origin)
      : ({ kind: "malformed", reason: problem } as const);
  const url = incoming.url ?? "-";
  if (target.kind === "malformed") {
    const verdict = denied("deny-malformed", target.reason);
    return { kind: "stop", status: 400, host: hosts[0] ?? "-", url, verdict };
  }
  if (target.kind === "misaligned") {
    const verdict = denied("deny-host-mismatch", target.reason);
    return { kind: "stop", status: 403, host: target.host, url, verdict };
  }
  const verdict = verdictOn(context, target, origin, incoming.method ?? "-", answer);
  if (!verdict.allowed) {
    return { kind: "stop", status: 403, host: target.host, url: target.url, verdict };
  }
  const admitted = admit(context, target, incoming);
  if (!isRefusal(admitted))
    return { kind: "go", target, verdict, ...(admitted && { meter: admitted }) };
  const status = refusalStatus(admitted);
  return {
    kind: "stop",
    status,
    host: target.host,
    url: logged(target, admitted),
    verdict: admitted,
  };
}

/** Searches the head for secrets, and counts the request. */
function admit(
  { limiter, secrets, policy }: ProxyContext,
  target: ForwardTarget,
  { url = "", rawHeaders }: Pick<IncomingMessage, "url" | "rawHeaders">,
): Verdict | ByteMeter | undefined {
  const refusal = secretRefusal(secrets?.findInHead(url, rawHeaders));
  if (refusal) return refusal;
  const admitted = limiter?.admit(target.host, policy());
  if (!admitted || isRefusal(admitted)) return admitted;
  const bytes = rawHeaders.reduce((sum, text) => sum + text.length + 2, url.length);
  return admitted.add(bytes) ?? admitted;
}

/** The URL that contains the secret must not reach the log. */
function logged({ protocol, host, url }: ForwardTarget, { rule }: Verdict): string {
  return rule === secretRule ? `${protocol}://${host}/` : url;
}

function verdictOn(
  { policy, hostAccess, credentials }: ProxyContext,
  target: ForwardTarget,
  origin: RequestOrigin,
  method: string,
  answer: Verdict | undefined,
): Verdict {
  const now = policy();
  if (method === "TRACE" && credentials?.covers(target)) {
    return denied("deny-trace", "a response to TRACE would contain the credential");
  }
  if (hostAccess?.names.has(target.host) && hostAccess.ports.has(target.port)) {
    const { allowed, rule } = now.decideLookup(target.host);
    if (allowed || rule === "deny-default") {
      return { allowed: true, rule: "allow-host-access", reason: "" };
    }
  }
  // The policy allowed the name of a decrypted connection when it opened.
  const named = origin.kind === "intercepted" ? undefined : (answer ?? now.decide(target));
  if (named && !named.allowed) return named;
  if (named && now.urls.length === 0) return named;
  const seen = now.decideUrl(new URL(target.url), method);
  return seen.allowed && named ? named : seen;
}

/** A denial by a rule that lists cannot change. */
export function denied(rule: string, reason: string): Verdict {
  return { allowed: false, rule, reason };
}
