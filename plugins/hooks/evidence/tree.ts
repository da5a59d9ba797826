/** Redacts and bounds explanations for a run's record. */
import type { Explanation } from "reeve/plugin";
import type { Redactor } from "./redactor.js";

/** Characters of one tree. */
const LARGEST = 16 * 1024;
const LONGEST = 400;

export function shownTree(explanation: Explanation, hidden: Redactor): Explanation {
  let left = LARGEST;
  const shown = ({ text, outcome, parts }: Explanation): Explanation => {
    const node = { text: cut(hidden.text(text)), outcome: cut(hidden.text(outcome)) };
    left -= node.text.length + node.outcome.length + 40;
    const inner: Explanation[] = [];
    for (const part of parts) if (left > 0) inner.push(shown(part));
    return { ...node, parts: inner };
  };
  return shown(explanation);
}

const cut = (text: string): string => (text.length > LONGEST ? `${text.slice(0, LONGEST)}…` : text);
