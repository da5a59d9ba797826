/** Decides a request for a hook. Pure. */
import type { HookBlock } from "../blocks/blocks.js";
import type { HookScope } from "../blocks/request.js";
import { readBody } from "./body.js";
import { isInNetworks } from "./client-address.js";
import { commandOf, type HookCommand } from "./command.js";
import { explainFalse } from "./explain-false.js";
import { type Incoming, scopeOf } from "./incoming.js";
import { type Refusal, refuse } from "./refusal.js";
import { proofRefusal } from "./verify/verify.js";

export type HookDecision =
  | { readonly kind: "run"; readonly command: HookCommand; readonly scope: HookScope }
  | { readonly kind: "refuse"; readonly refusal: Refusal };

/**
 * The order is a promise: nothing of the body is parsed before the sender is verified.
 * `isTrusted`: without verification, for the control socket.
 */
export function decide(request: Incoming, hook: HookBlock, isTrusted = false): HookDecision {
  const admission = admit(request, hook, isTrusted);
  return "reason" in admission ? no(admission) : commanded(request, hook, admission);
}

/** The names of expressions, for a request that the hook is to run for. */
export interface AcceptedRequest {
  readonly scope: HookScope;
}

/** Whether the sender is verified and the condition holds. */
export function admit(
  request: Incoming,
  hook: HookBlock,
  isTrusted: boolean,
  read = readBody,
): AcceptedRequest | Refusal {
  const early = earlyRefusal(request, hook, isTrusted) ?? bodyRefusal(request);
  if (early) return early;
  const signature = isTrusted ? undefined : proofRefusal(request, hook.values.verify);
  if (signature) return signature;
  const body = read(request.headers, request.body, hook.values.parse, request.bodyLimit);
  if (!body.ok) return body.refusal;
  const scope = scopeOf(request, body);
  return conditionRefusal(hook, scope) ?? { scope };
}

export function commanded(
  request: Incoming,
  hook: HookBlock,
  { scope }: AcceptedRequest,
): HookDecision {
  const command = commandOf(hook, scope, request.body);
  return "reason" in command ? no(command) : { kind: "run", command, scope };
}

export const no = (refusal: Refusal): HookDecision => ({ kind: "refuse", refusal });

/** Needs no body. */
export function earlyRefusal(
  { method, remoteIp }: Pick<Incoming, "method" | "remoteIp">,
  hook: HookBlock,
  isTrusted = false,
): Refusal | undefined {
  const blocked = isTrusted ? undefined : networkRefusal(remoteIp, hook);
  return blocked ?? methodRefusal(method, hook);
}

export function networkRefusal(
  remoteIp: string | undefined,
  { values: { allow_from: networks } }: HookBlock,
): Refusal | undefined {
  return networks && !isInNetworks(remoteIp, networks) ? addressRefusal(remoteIp) : undefined;
}

export const methodRefusal = (method: string, hook: HookBlock): Refusal | undefined =>
  accepts(hook, method) ? undefined : notAllowed(hook.values.methods);

export const accepts = ({ values: { methods } }: HookBlock, method: string): boolean =>
  (methods as readonly string[]).includes(method);

export function notAllowed(methods: readonly string[]): Refusal {
  const allow = methods.join(", ");
  return refuse("method_not_allowed", `This hook accepts ${allow}.`, { headers: { allow } });
}

/** Only the operator sees the address. */
export const addressRefusal = (address: string | undefined): Refusal =>
  refuse("address_not_allowed", "Requests from this address are not accepted.", {
    cause: `${address ?? "an unknown address"} is not in \`allow_from\``,
  });

/** An unread body would be verified as empty. */
export function bodyRefusal({ method, headers, body }: Incoming): Refusal | undefined {
  if (method !== "GET" && method !== "HEAD") return undefined;
  const announced = "transfer-encoding" in headers || Number(headers["content-length"] ?? 0) > 0;
  if (!announced && body.length === 0) return undefined;
  return refuse("bad_request", `A ${method} request cannot have a body.`);
}

function conditionRefusal(hook: HookBlock, scope: HookScope): Refusal | undefined {
  const { when, response } = hook.values;
  if (!when) return undefined;
  const outcome = when.evaluate(scope);
  if (outcome.kind === "failed") {
    return refuse(
      "incomplete_request",
      "The hook's condition cannot be evaluated for this request.",
      {
        cause: outcome.message,
      },
    );
  }
  if (outcome.kind === "value" && outcome.value) return undefined;
  const status = response?.values.mismatch_status;
  return refuse("condition_not_met", "The request does not meet the hook's condition.", {
    ...(status === undefined ? {} : { status }),
    cause:
      outcome.kind === "missing"
        ? `\`${outcome.what}\` is missing`
        : () => explainFalse(when.explain(scope)),
  });
}
