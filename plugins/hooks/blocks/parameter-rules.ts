/** The rules of a task's parameter. Pure. */
import type { Pattern } from "reeve/plugin";

export type ParameterValue = string | number | boolean | readonly string[];

export interface ParameterRules {
  readonly type: "text" | "number" | "boolean" | "list" | "secret";
  readonly values?: readonly string[] | undefined;
  readonly pattern?: Pattern | undefined;
  readonly default?: ParameterValue | undefined;
}

/** What is wrong with the default, in a few words. */
export function defaultFault(rules: ParameterRules): string | undefined {
  const { type, default: value } = rules;
  if (value === undefined) return undefined;
  if (type === "secret") return "a secret has no default: it would stand in the configuration";
  const kind = Array.isArray(value) ? "list" : typeof value === "string" ? "text" : typeof value;
  return kind === type ? faultOf(value, rules) : `the default is a ${kind}, not a ${type}`;
}

/** Why a value is not accepted, in a few words. */
export function faultOf(
  value: ParameterValue,
  { values, pattern, type }: ParameterRules,
): string | undefined {
  const texts = (Array.isArray(value) ? value : [value]).map(String);
  for (const text of texts) {
    const shown = type === "secret" ? "the value" : `\`${text}\``;
    if (values && !values.includes(text)) return `${shown} is none of ${values.join(", ")}`;
    if (pattern && !pattern.test(text)) return `${shown} does not match \`${pattern.source}\``;
  }
  return undefined;
}
