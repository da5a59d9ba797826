/** Finds versions that requirements exclude explicitly: `!= 2.0.0`, `<> 2.0.0`, `!= 2.1.*`. */
import type { Declaration, Versioning } from "../managers/contract.js";

const EXCLUSION = /(?:!=|<>)\s*v?[^\s,|)"']+/g;

/** The declaration that excludes `version`. A strategy may change the rest of its requirement. */
export function excludedBy(
  declarations: readonly Declaration[],
  version: string,
  versioning: Versioning,
): Declaration | undefined {
  return declarations.find(({ requirement }) =>
    (requirement.match(EXCLUSION) ?? []).some((part) => names(part)),
  );

  function names(part: string): boolean {
    const exact = part.replace(/^(!=|<>)\s*/, "");
    if (versioning.isVersion(exact)) return versioning.compare(exact, version) === 0;
    return !versioning.isPrerelease(version) && !versioning.satisfies(version, part);
  }
}
