/** Whether a request satisfies a rule. */
import type { Rule } from "../hook.js";
import type { FileRequest } from "../request/request.js";
import { judgeMatch, type MatchContext, type Verdict } from "./match.js";

export function judge(rule: Rule, request: FileRequest, bench: MatchContext): Verdict {
  switch (rule.kind) {
    case "and":
      return every(rule.rules, request, bench);
    case "or":
      return some(rule.rules, request, bench);
    case "not":
      return opposite(judge(rule.rule, request, bench), bench);
    case "match":
      return judgeMatch(rule.match, request, bench);
    default:
      return { holds: false };
  }
}

/** Strictly, what is missing leaves open what a false rule decides; the existing server stops at either. */
function every(rules: readonly Rule[], request: FileRequest, bench: MatchContext): Verdict {
  let missing: Verdict["trouble"];
  for (const rule of rules) {
    const { holds, trouble } = judge(rule, request, bench);
    if (trouble && !(bench.strict && trouble.kind === "missing")) return { holds: false, trouble };
    missing ??= trouble;
    if (!trouble && !holds) return { holds };
  }
  return missing ? { holds: false, trouble: missing } : { holds: true };
}

/** Strictly, "none holds, and one is missing" is missing, so that no `not` around it makes it hold. */
function some(rules: readonly Rule[], request: FileRequest, bench: MatchContext): Verdict {
  let missing: Verdict["trouble"];
  for (const rule of rules) {
    const { holds, trouble } = judge(rule, request, bench);
    const forgiven =
      trouble?.kind === "missing" || (trouble?.kind === "signature" && bench.softSignatures);
    if (trouble && !forgiven) return { holds: false, trouble };
    if (holds) return { holds };
    if (bench.strict && trouble?.kind === "missing") missing ??= trouble;
  }
  return missing ? { holds: false, trouble: missing } : { holds: false };
}

/** The existing server turns "missing" into "holds" here, which opens a hook to whoever leaves something out. */
function opposite({ holds, trouble }: Verdict, { strict }: MatchContext): Verdict {
  if (!trouble) return { holds: !holds };
  return { holds: strict ? false : !holds, trouble };
}
