/** Explains in one line why a condition is false: the deciding part with its values. */
import type { Explanation } from "reeve/plugin";

const LONGEST = 400;

/** `payload.ref == "refs/heads/main"` is false: `payload.ref` is "refs/heads/wip" */
export function explainFalse(explanation: Explanation): string {
  const { text, outcome, parts } = explanation;
  const unmet = parts.filter((part) => part.parts.length > 0 && part.outcome === outcome);
  const [decisive] = unmet;
  if (decisive && unmet.length === 1) return explainFalse(decisive);
  const values = new Map(parts.flatMap(leaves));
  const looked = [...values].map(([name, value]) => `\`${name}\` is ${value}`).join(", ");
  const line = `\`${text}\` is ${outcome}${looked === "" ? "" : `: ${looked}`}`;
  return line.length > LONGEST ? `${line.slice(0, LONGEST)}…` : line;
}

const leaves = ({ text, outcome, parts }: Explanation): ReadonlyArray<readonly [string, string]> =>
  parts.length === 0 ? [[text, outcome]] : parts.flatMap(leaves);
