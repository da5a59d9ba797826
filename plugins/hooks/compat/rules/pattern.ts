/** RE2 patterns, compiled once. */
import { RE2JS } from "re2js";

const compiled = new Map<string, RE2JS | undefined>();
const KEPT = 1000;

/** `undefined`: an invalid pattern. */
export function patternOf(source: string): RE2JS | undefined {
  if (compiled.has(source)) return compiled.get(source);
  if (compiled.size >= KEPT) compiled.clear();
  let pattern: RE2JS | undefined;
  try {
    pattern = RE2JS.compile(source);
  } catch {
    pattern = undefined;
  }
  compiled.set(source, pattern);
  return pattern;
}
