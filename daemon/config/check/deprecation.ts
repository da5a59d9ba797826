/** What still works and should be replaced, and what works no more. */
import type { Fix, SourceLocation } from "../../../grammar/diagnostic.js";
import type { Deprecation } from "../../plugin-api/descriptor.js";
import { createDiagnostic, placeIn, type Report, rename } from "../diagnose.js";
import type { BlockSite } from "../expand/site.js";

/** W101, with the fix where the attribute to use takes the same value. */
export function warnDeprecatedAttribute(
  name: string,
  place: SourceLocation,
  deprecation: Deprecation,
  report: Report,
): void {
  const { since, use } = deprecation;
  report(
    createDiagnostic("W101", place, `\`${name}\` is deprecated since ${since}`, {
      label: use === undefined ? undefined : `use \`${use}\``,
      help: deprecation.note,
      fix: renameFix(place, use),
    }),
  );
}

/** E109. */
export function refuseRemovedAttribute(
  name: string,
  place: SourceLocation,
  removal: Deprecation,
  report: Report,
): void {
  const { since, use } = removal;
  report(
    createDiagnostic("E109", place, `\`${name}\` was removed in ${since}`, {
      label: use === undefined ? undefined : `use \`${use}\``,
      help: removal.note,
      fix: renameFix(place, use),
    }),
  );
}

/** W102. */
export function warnDeprecatedBlock(
  kind: string,
  site: BlockSite,
  deprecation: Deprecation | undefined,
  report: Report,
): void {
  if (!deprecation) return;
  const { since, use } = deprecation;
  const [type] = site.node.type.slice(-1);
  const place = placeIn(site.scope.unit.name, type ?? site.node.type[0]);
  report(
    createDiagnostic("W102", place, `the block \`${kind}\` is deprecated since ${since}`, {
      label: use === undefined ? undefined : `use \`${use}\``,
      help: deprecation.note,
      fix: renameFix(place, use),
    }),
  );
}

/** A replacement that is one name can be put in place; anything else is for a person to read. */
const renameFix = (place: SourceLocation, use: string | undefined): Fix | undefined =>
  use !== undefined && /^[A-Za-z_][A-Za-z0-9_]*$/.test(use) ? rename(place, use) : undefined;
