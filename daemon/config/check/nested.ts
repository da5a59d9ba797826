/** Nested blocks: known kinds, right labels, neither too few nor too many. */
import { suggest } from "../../../grammar/suggest.js";
import type { NestedBlockDescriptor } from "../../plugin-api/descriptor.js";
import { createDiagnostic, locationIn, renameFix, reportWithin, suggestFix } from "../diagnose.js";
import type { BlockSite } from "../expand/site.js";
import { adviceOnBlock } from "../habits.js";
import { blockHeader } from "../keys.js";
import { BlockBody, headerLocation, type NestedBodies, type NestedBody } from "./block-body.js";
import { warnDeprecatedBlock } from "./deprecation.js";
import { labelsOf } from "./labels.js";
import type { Translator } from "./translate.js";

/** The nested blocks of a body by kind, those of unknown kinds left out after complaining. Looked for once. */
export function nestedBodies(parent: BlockBody, translator: Translator): NestedBodies {
  parent.nested ??= findNested(parent, translator);
  return parent.nested;
}

function findNested(parent: BlockBody, translator: Translator): NestedBodies {
  const byKind = new Map<string, NestedBody[]>();
  let sound = true;
  for (const site of parent.body.blocks) {
    parent.world.countBlocks(1, () => headerLocation(site));
    const kind = site.node.type.map((name) => name.text).join(".");
    const descriptor = Object.hasOwn(parent.descriptor.blocks, kind)
      ? parent.descriptor.blocks[kind]
      : undefined;
    if (!descriptor) {
      unknownKind(kind, site, parent);
      sound = false;
      continue;
    }
    const nested = makeNested(kind, site, descriptor, parent, translator);
    if (!nested) sound = false;
    else byKind.set(kind, [...(byKind.get(kind) ?? []), nested]);
  }
  return { byKind, sound };
}

function makeNested(
  kind: string,
  site: BlockSite,
  descriptor: NestedBlockDescriptor,
  parent: BlockBody,
  translator: Translator,
): NestedBody | undefined {
  const report = reportWithin(parent.world.report, parent.subject, site.trace);
  const labels = labelsOf(site, descriptor, parent.world, translator, report, parent.uses);
  if (!labels) return undefined;
  warnDeprecatedBlock(kind, site, descriptor.deprecated, report);
  const subject = () => `${blockHeader(kind, labels)} in ${parent.subject}`;
  return { kind, labels, body: new BlockBody(site, descriptor, subject, parent.world) };
}

function unknownKind(kind: string, site: BlockSite, parent: BlockBody): void {
  const [first, last] = [site.node.type[0], site.node.type.at(-1) ?? site.node.type[0]];
  const location = locationIn(site.scope.unit.name, { start: first.start, end: last.end });
  const kinds = Object.keys(parent.descriptor.blocks);
  const isAttribute = Object.hasOwn(parent.descriptor.attributes, kind);
  const advice = isAttribute ? undefined : adviceOnBlock(kind);
  const suggestion = isAttribute || advice ? undefined : suggest(kind, kinds);
  const help = isAttribute
    ? `\`${kind}\` is an attribute: write \`${kind} = ${/^(map|object)$/.test(parent.descriptor.attributes[kind]?.type.type ?? "") ? "{ … }" : "…"}\``
    : advice !== undefined
      ? advice
      : suggestion === undefined && kinds.length > 0
        ? `it has blocks of the kinds ${kinds.map((each) => `\`${each}\``).join(", ")}`
        : undefined;
  reportWithin(
    parent.world.report,
    parent.subject,
    site.trace,
  )(
    createDiagnostic("E102", location, `there is no block \`${kind}\` in \`${parent.subject}\``, {
      label: suggestFix(suggestion),
      fix: renameFix(location, suggestion),
      help,
    }),
  );
}

/** Compares the number of nested blocks with its limits. */
export function checkNestedKinds(parent: BlockBody, nested: NestedBodies): boolean {
  let right = true;
  for (const [kind, { minimum, maximum }] of Object.entries(parent.descriptor.blocks)) {
    const found = nested.byKind.get(kind) ?? [];
    if (found.length < minimum) {
      right = false;
      const wanted = minimum === 1 ? `a block \`${kind}\`` : `${minimum} blocks \`${kind}\``;
      parent.report(
        createDiagnostic("E107", parent.header, `\`${parent.subject}\` needs ${wanted}`),
      );
    }
    const extra = maximum === undefined ? undefined : found[maximum];
    if (extra) {
      right = false;
      const most = maximum === 1 ? "one block" : `${maximum} blocks`;
      const last = found[(maximum ?? 1) - 1];
      extra.body.report(
        createDiagnostic(
          "E107",
          extra.body.header,
          `\`${parent.subject}\` has at most ${most} \`${kind}\``,
          { related: last ? [{ location: last.body.header, message: "given here already" }] : [] },
        ),
      );
    }
  }
  return right;
}
