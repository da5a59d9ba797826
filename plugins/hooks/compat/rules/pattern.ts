/** RE2 patterns, compiled once. */
import { RE2JS } from "re2js";

const compiled = new Map<string, RE2JS | string>();
const KEPT = 1000;

/** A text: why the pattern is invalid. */
export function patternOf(source: string): RE2JS | string {
  const known = compiled.get(source);
  if (known !== undefined) return known;
  if (compiled.size >= KEPT) compiled.clear();
  let pattern: RE2JS | string;
  try {
    pattern = RE2JS.compile(source);
  } catch (thrown) {
    pattern = thrown instanceof Error ? thrown.message : String(thrown);
  }
  compiled.set(source, pattern);
  return pattern;
}
