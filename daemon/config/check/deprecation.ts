/** Diagnostics for deprecated and removed names. */
import type { Fix, SourceLocation } from "../../../grammar/diagnostic.js";
import type { Deprecation } from "../../plugin-api/descriptor.js";
import { createDiagnostic, locationIn, type ReportDiagnostic, renameFix } from "../diagnose.js";
import type { BlockSite } from "../expand/site.js";

/** W101, with the fix where the attribute to use takes the same value. */
export function warnDeprecatedAttribute(
  name: string,
  location: SourceLocation,
  deprecation: Deprecation,
  report: ReportDiagnostic,
): void {
  const { since, use } = deprecation;
  report(
    createDiagnostic("W101", location, `\`${name}\` is deprecated since ${since}`, {
      label: use === undefined ? undefined : `use \`${use}\``,
      help: deprecation.note,
      fix: renameToName(location, use),
    }),
  );
}

/** E109. */
export function refuseRemovedAttribute(
  name: string,
  location: SourceLocation,
  removal: Deprecation,
  report: ReportDiagnostic,
): void {
  const { since, use } = removal;
  report(
    createDiagnostic("E109", location, `\`${name}\` was removed in ${since}`, {
      label: use === undefined ? undefined : `use \`${use}\``,
      help: removal.note,
      fix: renameToName(location, use),
    }),
  );
}

/** W102. */
export function warnDeprecatedBlock(
  kind: string,
  site: BlockSite,
  deprecation: Deprecation | undefined,
  report: ReportDiagnostic,
): void {
  if (!deprecation) return;
  const { since, use } = deprecation;
  const [type] = site.node.type.slice(-1);
  const location = locationIn(site.scope.unit.name, type ?? site.node.type[0]);
  report(
    createDiagnostic("W102", location, `the block \`${kind}\` is deprecated since ${since}`, {
      label: use === undefined ? undefined : `use \`${use}\``,
      help: deprecation.note,
      fix: renameToName(location, use),
    }),
  );
}

/** A replacement that is one name can be put in place; anything else is for a person to read. */
const renameToName = (location: SourceLocation, use: string | undefined): Fix | undefined =>
  use !== undefined && /^[A-Za-z_][A-Za-z0-9_]*$/.test(use) ? renameFix(location, use) : undefined;
