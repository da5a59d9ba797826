/** Evaluates a rule for a request. */
import type { MatchRule } from "../hook.js";
import type { FileRequest } from "../request/file-request.js";
import { judgeMatch, type MatchContext, type MatchVerdict } from "./match.js";

export function evaluateRule(
  rule: MatchRule,
  request: FileRequest,
  bench: MatchContext,
): MatchVerdict {
  switch (rule.kind) {
    case "and":
      return every(rule.rules, request, bench);
    case "or":
      return some(rule.rules, request, bench);
    case "not":
      return opposite(evaluateRule(rule.rule, request, bench), bench);
    case "match":
      return judgeMatch(rule.match, request, bench);
    default:
      return { holds: false };
  }
}

/** Strict: a false rule decides even after a missing value; the existing server stops at either. */
function every(
  rules: readonly MatchRule[],
  request: FileRequest,
  bench: MatchContext,
): MatchVerdict {
  let missing: MatchVerdict["problem"];
  for (const rule of rules) {
    const { holds, problem } = evaluateRule(rule, request, bench);
    if (problem && !(bench.strict && problem.kind === "missing")) return { holds: false, problem };
    missing ??= problem;
    if (!problem && !holds) return { holds };
  }
  return missing ? { holds: false, problem: missing } : { holds: true };
}

/** Strict: "none holds, one is missing" is missing, so an enclosing `not` cannot make it hold. */
function some(
  rules: readonly MatchRule[],
  request: FileRequest,
  bench: MatchContext,
): MatchVerdict {
  let missing: MatchVerdict["problem"];
  for (const rule of rules) {
    const { holds, problem } = evaluateRule(rule, request, bench);
    const forgiven =
      problem?.kind === "missing" || (problem?.kind === "signature" && bench.softSignatures);
    if (problem && !forgiven) return { holds: false, problem };
    if (holds) return { holds };
    if (bench.strict && problem?.kind === "missing") missing ??= problem;
  }
  return missing ? { holds: false, problem: missing } : { holds: false };
}

/** The existing server turns "missing" into "holds", which admits any request without the value. */
function opposite({ holds, problem }: MatchVerdict, { strict }: MatchContext): MatchVerdict {
  if (!problem) return { holds: !holds };
  return { holds: strict ? false : !holds, problem };
}
