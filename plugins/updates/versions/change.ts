/** What the step between two versions is called. */
import type { SemverChange, ZeroReading } from "../decide/contract.js";
import type { Versioning } from "../managers/contract.js";

/** Undefined for versions that are not like semver's, for steps back, and below 1.0 for what `strict` does not call a name. */
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
