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
  const early = earlyRefusal(request, hook, isTrusted) ?? bodyRefusal(request);
  if (early) return no(early);
  const signature = isTrusted ? undefined : proofRefusal(request, hook.values.verify);
  if (signature) return no(signature);
  const body = readBody(request.headers, request.body, hook.values.parse, request.bodyLimit);
  if (!body.ok) return no(body.refusal);
  const scope = scopeOf(request, body);
  const unmet = conditionRefusal(hook, scope);
  if (unmet) return no(unmet);
  const command = commandOf(hook, scope, request.body);
  return "reason" in command ? no(command) : { kind: "run", command, scope };
}

const no = (refusal: Refusal): HookDecision => ({ kind: "refuse", refusal });

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

export function methodRefusal(method: string, hook: HookBlock): Refusal | undefined {
  const { methods } = hook.values;
  if ((methods as readonly string[]).includes(method)) return undefined;
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
