/** Known vulnerabilities. */

export interface Advisory {
  /** `GHSA-…`, `CVE-…`. */
  readonly id: string;
  readonly aliases: readonly string[];
  readonly summary: string;
  /** As in the record: `HIGH`, a CVSS vector. */
  readonly severity?: string;
  readonly affected: Affected;
}

interface Affected {
  readonly ecosystem: string;
  readonly name: string;
  readonly versions: readonly string[];
  readonly ranges: readonly AffectedRange[];
}

/** One walk through versions: `introduced` opens, `fixed` closes before it, `lastAffected` after it, `limit` caps. */
export interface AffectedRange {
  readonly kind: "versions" | "commits";
  readonly events: readonly AffectedEvent[];
}
export type AffectedEvent =
  | { readonly introduced: string }
  | { readonly fixed: string }
  | { readonly lastAffected: string }
  | { readonly limit: string };
