/** Converts a trigger rule to `verify` blocks and a condition. */
import type { FileHook, MatchRule, RuleMatch } from "../hook.js";
import { textOf } from "./value.js";
import { list, pattern, quoted, UnconvertibleError } from "./words.js";

export interface ConvertedRule {
  /** Any of them suffices. */
  readonly proofs: readonly RuleMatch[];
  readonly condition: string | undefined;
}

export function convertRule(hook: FileHook): ConvertedRule {
  if (!hook.rule) return { proofs: [], condition: undefined };
  const parts = conjuncts(hook.rule);
  const proofs = parts.map(proofsIn).filter((found) => found !== undefined);
  if (proofs.length > 1)
    throw new UnconvertibleError("a request has to have several signatures at once");
  const conditions = parts.filter((part) => proofsIn(part) === undefined);
  return {
    proofs: proofs[0] ?? [],
    condition:
      conditions.length === 0
        ? undefined
        : conditions.map((part) => guarded(part, hook)).join(" && "),
  };
}

const conjuncts = (rule: MatchRule): readonly MatchRule[] =>
  rule.kind === "and" ? rule.rules.flatMap(conjuncts) : [rule];

/** A signature, or several of which one suffices. */
function proofsIn(rule: MatchRule): readonly RuleMatch[] | undefined {
  if (rule.kind === "match") return isProof(rule.match) ? [rule.match] : undefined;
  if (rule.kind !== "or" || rule.rules.length === 0) return undefined;
  const proofs = rule.rules.map(proofsIn);
  return proofs.every((found) => found !== undefined) ? proofs.flat() : undefined;
}

const isProof = ({ type }: RuleMatch): boolean => /^payload-(hmac|hash)-/.test(type);

/** In parentheses if needed. */
const guarded = (rule: MatchRule, hook: FileHook): string => {
  const text = condition(rule, hook);
  return rule.kind === "match" || rule.kind === "not" || rule.kind === "empty" ? text : `(${text})`;
};

function condition(rule: MatchRule, hook: FileHook): string {
  switch (rule.kind) {
    case "and":
      return rule.rules.length === 0
        ? "true"
        : rule.rules.map((each) => guarded(each, hook)).join(" && ");
    case "or":
      return rule.rules.length === 0
        ? "false"
        : rule.rules.map((each) => guarded(each, hook)).join(" || ");
    case "not":
      return `!(${condition(rule.rule, hook)})`;
    case "match":
      return matched(rule.match, hook);
    default:
      return "false";
  }
}

function matched(match: RuleMatch, hook: FileHook): string {
  switch (match.type) {
    case "value":
      return `${textOf(match.parameter, hook)} == ${quoted(match.value)}`;
    case "regex":
      return `${textOf(match.parameter, hook)} =~ ${pattern(match.regex)}`;
    case "ip-whitelist":
      return `cidr_contains(${list(networks(match.range))}, remote_ip)`;
    case "scalr-signature":
      throw new UnconvertibleError("the language has no `scalr-signature`");
    default:
      if (isProof(match))
        throw new UnconvertibleError("a signature is only one of several ways in");
      return "false";
  }
}

const networks = (range: string): readonly string[] =>
  range
    .split(/\s+/)
    .filter((word) => word !== "")
    .map((word) => quoted(word.includes("/") ? word : `${word}/${word.includes(":") ? 128 : 32}`));
