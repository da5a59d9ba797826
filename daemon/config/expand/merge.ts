/**
 * Merges a body with the mixins it uses. A body's own items override its mixins, and a mixin's own items override the
 * mixins it uses; conflicting mixins are an error.
 */

import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn, type ReportDiagnostic, reportWithin } from "../diagnose.js";
import { LexicalScope, type MixinDefinition } from "../evaluate/scope.js";
import { keyPart } from "../keys.js";
import { limits } from "../limits.js";
import { declareLets, type ExpansionScope, flatten } from "./flatten.js";
import { bindArguments, haveSameArguments, requireArguments } from "./parameters.js";
import type { AttributeSite, BlockSite, FlatBody, MixinUse } from "./site.js";

export interface MergedBody {
  readonly attributes: ReadonlyMap<string, AttributeSite>;
  readonly blocks: readonly BlockSite[];
}

/** What a body says itself, before the mixins it uses add to it. */
interface Layer {
  readonly attributes: Map<string, AttributeSite>;
  readonly blocks: BlockSite[];
}

/**
 * Expands a body with all its mixins. `single` says which kinds of nested block occur at most once: a body's own
 * block overrides that of a mixin, as attributes do.
 */
export function expandBody(
  items: readonly tree.Item[],
  expansion: ExpansionScope,
  single: (kind: string) => boolean,
): MergedBody {
  return merged(flatten(items, expansion), expansion, single, []);
}

function merged(
  flat: FlatBody,
  expansion: ExpansionScope,
  single: (kind: string) => boolean,
  open: readonly MixinDefinition[],
): MergedBody {
  const own: Layer = { attributes: ownAttributes(flat, expansion), blocks: [...flat.blocks] };
  const brought = new Map<string, readonly [AttributeSite | BlockSite, MixinUse]>();
  const used = new Set<MixinDefinition>();
  for (const use of flat.uses) {
    // Each use with arguments adds its own items.
    if (use.node.target.kind !== "call") {
      if (used.has(use.mixin)) continue;
      used.add(use.mixin);
    }
    const layer = mixinBody(use, expansion, single, open);
    for (const [name, site] of layer?.attributes ?? []) {
      if (own.attributes.has(name) && !brought.has(name)) continue;
      if (isClash(name, site, use, brought, expansion)) continue;
      own.attributes.set(name, site);
    }
    for (const site of layer?.blocks ?? []) {
      const kind = site.node.type.map((name) => name.text).join(".");
      if (single(kind) && hasOwn(flat, kind)) continue;
      if (single(kind) && isClash(kind, site, use, brought, expansion)) continue;
      own.blocks.push(site);
    }
  }
  return own;
}

const hasOwn = (flat: FlatBody, kind: string): boolean =>
  flat.blocks.some(({ node }) => node.type.map((name) => name.text).join(".") === kind);

/** The same attribute twice in one body is an error, shown in both places. */
function ownAttributes(flat: FlatBody, expansion: ExpansionScope): Map<string, AttributeSite> {
  const attributes = new Map<string, AttributeSite>();
  for (const site of flat.attributes) {
    const name = site.node.name.text;
    const earlier = attributes.get(name);
    if (!earlier) {
      attributes.set(name, site);
      continue;
    }
    const location = locationIn(site.scope.unit.name, site.node.name);
    const first = locationIn(earlier.scope.unit.name, earlier.node.name);
    reportWithin(
      expansion.report,
      undefined,
      site.trace,
    )(
      createDiagnostic("E104", location, `\`${name}\` is given twice`, {
        related: [{ location: first, message: "first given here" }],
      }),
    );
  }
  return attributes;
}

/** Whether another mixin has said something about this already; complains if so. */
function isClash(
  name: string,
  site: AttributeSite | BlockSite,
  use: MixinUse,
  brought: Map<string, readonly [AttributeSite | BlockSite, MixinUse]>,
  expansion: ExpansionScope,
): boolean {
  const earlier = brought.get(name);
  if (!earlier) {
    brought.set(name, [site, use]);
    return false;
  }
  const [first, firstUse] = earlier;
  if (first.node === site.node && haveSameArguments(first.scope, site.scope)) return true;
  reportWithin(
    expansion.report,
    undefined,
    use.trace,
  )(
    createDiagnostic(
      "E110",
      locationIn(use.scope.unit.name, use.node.target),
      `\`mixin${keyPart(firstUse.mixin.name)}\` and \`mixin${keyPart(use.mixin.name)}\` both give \`${name}\``,
      {
        help: `give \`${name}\` here to decide`,
        related: [
          { location: nameOf(first), message: "given here" },
          { location: nameOf(site), message: "and here" },
        ],
      },
    ),
  );
  return true;
}

function nameOf(site: AttributeSite | BlockSite) {
  const { node } = site;
  return locationIn(site.scope.unit.name, node.kind === "attribute" ? node.name : node.type[0]);
}

function mixinBody(
  use: MixinUse,
  expansion: ExpansionScope,
  single: (kind: string) => boolean,
  open: readonly MixinDefinition[],
): MergedBody | undefined {
  const { mixin } = use;
  const location = locationIn(use.scope.unit.name, use.node);
  if (open.includes(mixin)) {
    const names = [...open.slice(open.indexOf(mixin)), mixin];
    const circle = names.map((each) => `\`mixin${keyPart(each.name)}\``).join(" → ");
    reportWithin(
      expansion.report,
      undefined,
      use.trace,
    )(createDiagnostic("E208", location, `a mixin uses itself: ${circle}`));
    return undefined;
  }
  if (open.length >= limits.mixinDepth) {
    const message = `mixins use each other more than ${limits.mixinDepth} deep`;
    reportWithin(
      expansion.report,
      undefined,
      use.trace.slice(0, 1),
    )(createDiagnostic("E409", location, message));
    return undefined;
  }
  const scope = new LexicalScope(mixin.scope.unit, mixin.scope, true);
  const step = { description: `\`use mixin${keyPart(mixin.name)}\``, location };
  const inner: ExpansionScope = { ...expansion, scope, trace: [step, ...use.trace] };
  declareLets(mixin.node.body.items, scope, expansion.report);
  giveArguments(use, scope, reportWithin(expansion.report, undefined, use.trace));
  return merged(flatten(mixin.node.body.items, inner), inner, single, [...open, mixin]);
}

/** Binds the arguments of a `use` to the parameters of its mixin. */
function giveArguments(
  { node, mixin, scope: user }: MixinUse,
  scope: LexicalScope,
  report: ReportDiagnostic,
): void {
  const { target } = node;
  const subject = `\`mixin${keyPart(mixin.name)}\``;
  if (target.kind === "call")
    bindArguments(scope, { nodes: target.arguments, scope: user }, subject, report);
  const written = target.kind === "call" ? target.callee : target;
  const text = user.unit.text.slice(written.start, written.end);
  const location = locationIn(user.unit.name, written);
  requireArguments(
    scope,
    location,
    subject,
    (name) => `write \`use ${text}(${name} = …)\``,
    report,
  );
}
