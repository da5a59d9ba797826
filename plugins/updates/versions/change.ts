/** Classifies the change between two versions. */

import type { Versioning } from "../managers/contract.js";
import type { SemverChange, ZeroReading } from "../model.js";

/** `undefined` for versions unlike semver, for downgrades, and for versions below 1.0 under `strict`. */
export function semverChange(
  versioning: Versioning,
  from: string,
  to: string,
  zero: ZeroReading = "caret",
): SemverChange | undefined {
  const before = versioning.numbers(from);
  const after = versioning.numbers(to);
  if (!before || !after || versioning.compare(from, to) >= 0) return undefined;
  const [major, minor, patch] = before;
  if (after[0] !== major) return "major";
  if (major === 0 && zero === "strict") return undefined;
  const caret = major === 0 && zero === "caret";
  if (after[1] !== minor) return caret ? "major" : "minor";
  return caret && minor === 0 && after[2] !== patch ? "major" : "patch";
}
