/** Finds the rule that ignores a version. */
import type { Versioning } from "../managers/contract.js";
import type { SemverChange } from "../model.js";
import type { IgnoreRule } from "./contract.js";

export interface VersionMove {
  readonly name: string;
  readonly to: string;
  readonly change: SemverChange | undefined;
  readonly security: boolean;
}

export function ignoredBy(
  rules: readonly IgnoreRule[],
  step: VersionMove,
  versioning: Versioning,
): IgnoreRule | undefined {
  return rules.find((rule) => matchesPattern(rule.dependency, step.name) && forbids(rule));

  function forbids({ versions, changes }: IgnoreRule): boolean {
    if (
      versions?.some(
        (range) =>
          range === step.to ||
          isIn(range) ||
          isBetween(range) ||
          versioning.satisfies(step.to, range),
      )
    )
      return true;
    if (changes && changes.length > 0)
      return !step.security && step.change !== undefined && changes.includes(step.change);
    return versions === undefined || versions.length === 0;
  }

  /** `>= 3, < 4` works for tags and for managers without such operators, too. */
  function isBetween(range: string): boolean {
    const bounds = range.split(",").map((part) => /^\s*(>=?|<=?)\s*(\S+)\s*$/.exec(part));
    return bounds.every((bound) => {
      const [, sign = "", written = ""] = bound ?? [];
      const version = spelled(written);
      if (version === undefined) return false;
      const order = versioning.compare(step.to, version);
      if (order === 0) return sign.endsWith("=");
      return sign.startsWith(">") === order > 0;
    });
  }

  /** Completes `3` for managers whose versions have three numbers or a leading `v`. */
  function spelled(text: string): string | undefined {
    const longer = [text, `${text}.0`, `${text}.0.0`];
    return [...longer, ...longer.map((each) => `v${each}`)].find(versioning.isVersion);
  }

  /** `3.x` and `3.1.x` mean the same for every manager with numeric versions. */
  function isIn(range: string): boolean {
    const [, major, minor] = /^(\d+)(?:\.(\d+))?\.x$/.exec(range) ?? [];
    const numbers = versioning.numbers(step.to);
    return (
      numbers !== undefined &&
      numbers[0] === Number(major) &&
      (minor === undefined || numbers[1] === Number(minor))
    );
  }
}

/** `*` matches any part of a name, slashes included. Ignores case. */
export function matchesPattern(pattern: string, name: string): boolean {
  const parts = pattern.toLowerCase().split("*");
  const text = name.toLowerCase();
  const [first = "", ...rest] = parts;
  if (rest.length === 0) return text === first;
  if (!text.startsWith(first)) return false;
  const last = rest.pop() ?? "";
  let at = first.length;
  for (const part of rest) {
    const found = text.indexOf(part, at);
    if (found < 0) return false;
    at = found + part.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
}
