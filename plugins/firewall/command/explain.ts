/** `--explain DOMAIN|URL`: says which rule decides, without a run. */
import { type ExplainedVerdict, explainVerdicts } from "../policy/explain.js";
import type { Policy } from "../policy/policy.js";

/** The text for stdout. @throws {FirewallError} `invalid_subject` */
export function explainText(policy: Policy, subject: string, json: boolean): string {
  const decisions = explainVerdicts(policy, subject);
  if (json) return `${JSON.stringify({ subject, decisions }, undefined, 2)}\n`;
  return decisions.map(verdictLine).join("");
}

function verdictLine({ subject, allowed, rule, pattern, reason }: ExplainedVerdict): string {
  const by = pattern === undefined ? `rule ${rule}` : `entry '${pattern}', rule ${rule}`;
  return allowed ? `${subject}: allowed (${by})\n` : `${subject}: denied, ${reason} (${by})\n`;
}
