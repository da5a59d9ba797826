/** Decides a request for the hooks that share its path and accept its method. Pure. */
import type { HookBlock } from "../blocks/blocks.js";
import { readBody } from "./body.js";
import { admit, commanded, decide, type HookDecision, no } from "./decide.js";
import type { Incoming } from "./incoming.js";
import type { Refusal } from "./refusal.js";

/** A request as one of the hooks of its path gets it. */
export interface PathCandidate {
  readonly request: Incoming;
  readonly hook: HookBlock;
  /** Asked before the sender is verified; a refusal ends the search. */
  readonly limited?: () => Refusal | undefined;
}

/** The decision, and the candidate that made it. */
export interface PathDecision<Each extends PathCandidate> {
  readonly decision: HookDecision;
  readonly by: Each;
}

/**
 * For hooks on one path that accept the method, in order: the first that verifies the sender and whose condition holds
 * runs alone. If none does: the refusal of the first that verified the sender, or 401.
 */
export function decideAmong<Each extends PathCandidate>(
  candidates: readonly [Each, ...Each[]],
  isTrusted = false,
): PathDecision<Each> {
  const read = readOnce();
  const refusals: Array<{ readonly refusal: Refusal; readonly by: Each }> = [];
  for (const by of candidates) {
    const excess = by.limited?.();
    if (excess) return { decision: no(excess), by };
    const admission = admit(by.request, by.hook, isTrusted, read);
    if (!("reason" in admission)) {
      return { decision: commanded(by.request, by.hook, admission), by };
    }
    refusals.push({ refusal: admission, by });
  }
  const ranks = refusals.map(({ refusal }) => rankOf(refusal));
  const chosen = refusals[ranks.indexOf(Math.min(...ranks))];
  if (!chosen)
    return { decision: decide(candidates[0].request, candidates[0].hook), by: candidates[0] };
  const { refusal, by } = chosen;
  return { decision: no(refusal.status === 401 ? challenging(refusal, refusals) : refusal), by };
}

/** A verified sender gets the reason; another one learns no more than that it is not verified. */
function rankOf({ reason }: Refusal): number {
  const rank = UNVERIFIED.indexOf(reason);
  return rank === -1 ? 0 : rank + 1;
}

const UNVERIFIED: ReadonlyArray<Refusal["reason"]> = [
  "keys_unavailable",
  "bad_signature",
  "address_not_allowed",
];

/** With the challenges of all hooks (RFC 9110, section 11.6.1). */
function challenging(
  refusal: Refusal,
  refusals: ReadonlyArray<{ readonly refusal: Refusal }>,
): Refusal {
  const challenges = refusals.flatMap(
    ({ refusal: { headers } }) => headers?.["www-authenticate"] ?? [],
  );
  if (challenges.length === 0) return refusal;
  const all = [...new Set(challenges)].join(", ");
  return { ...refusal, headers: { ...refusal.headers, "www-authenticate": all } };
}

/** Candidates differ in how they parse, and most do not. */
function readOnce(): typeof readBody {
  const readings = new Map<string, ReturnType<typeof readBody>>();
  return (headers, body, parse, limit) => {
    const reading = readings.get(parse) ?? readBody(headers, body, parse, limit);
    readings.set(parse, reading);
    return reading;
  };
}
