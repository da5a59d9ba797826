/** Explains the verdict of a rule as a tree of its nodes, with their values. */
import type { MatchRule, RuleMatch } from "../hook.js";
import type { FileRequest } from "../request/file-request.js";
import { retrieve } from "../request/retrieve.js";
import { evaluateRule } from "./judge.js";
import type { MatchContext, MatchVerdict } from "./match.js";

/** Like `Explanation` of the language. */
export interface RuleTree {
  readonly text: string;
  /** `true`, `false`, `missing`, or `error: …`. */
  readonly outcome: string;
  readonly parts: readonly RuleTree[];
}

/** `secrets`: texts of the rule, to redact. */
export function explainRule(
  rule: MatchRule,
  request: FileRequest,
  bench: MatchContext,
  secrets: readonly string[],
): RuleTree {
  const outcome = outcomeOf(evaluateRule(rule, request, bench));
  switch (rule.kind) {
    case "and":
    case "or":
      return {
        text: rule.kind,
        outcome,
        parts: rule.rules.map((part) => explainRule(part, request, bench, secrets)),
      };
    case "not":
      return {
        text: "not",
        outcome,
        parts: [explainRule(rule.rule, request, bench, secrets)],
      };
    case "match":
      return { text: textOf(rule.match, secrets), outcome, parts: valuesOf(rule.match, request) };
    default:
      return { text: "{}", outcome, parts: [] };
  }
}

function outcomeOf({ holds, problem }: MatchVerdict): string {
  if (!problem || holds) return String(holds);
  if (problem.kind === "missing" || problem.kind === "nothing") return "missing";
  return `error: ${problem.message}`;
}

function textOf(
  { type, value, regex, range, parameter }: RuleMatch,
  secrets: readonly string[],
): string {
  const where = `${parameter.source} ${parameter.name}`;
  switch (type) {
    case "value":
      return `${where} == ${secrets.includes(value) ? "(secret)" : JSON.stringify(value)}`;
    case "regex":
      return `${where} =~ ${JSON.stringify(regex)}`;
    case "ip-whitelist":
      return `remote address within ${range}`;
    case "scalr-signature":
      return "scalr-signature of X-Signature";
    default:
      return `${type} of ${where}`;
  }
}

const LONGEST = 200;

function valuesOf({ type, parameter }: RuleMatch, request: FileRequest): readonly RuleTree[] {
  if (type === "ip-whitelist") {
    return [{ text: "remote address", outcome: JSON.stringify(request.remoteAddress), parts: [] }];
  }
  if (type === "scalr-signature") return [];
  const value = retrieve(parameter, request);
  const text = `${parameter.source} ${parameter.name}`;
  if (!value.ok) return [{ text, outcome: "missing", parts: [] }];
  const shown = value.text.length > LONGEST ? `${value.text.slice(0, LONGEST)}…` : value.text;
  return [{ text, outcome: JSON.stringify(shown), parts: [] }];
}
