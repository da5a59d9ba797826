/** Top-level blocks by key: which exist, which plugin owns them, and which are duplicates. */

import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { isTurnOver, nextTurn } from "../../plugin-api/turns.js";
import { BlockBody, headerLocation } from "../check/block-body.js";
import { warnDeprecatedBlock } from "../check/deprecation.js";
import { checkLabels, evaluateLabels } from "../check/labels.js";
import { createDiagnostic, locationIn, renameFix, reportWithin, suggestFix } from "../diagnose.js";
import { Dependencies } from "../evaluate/dependencies.js";
import type { EvaluationRun } from "../evaluate/evaluation-run.js";
import type { BlockSite } from "../expand/site.js";
import { adviceOnBlock } from "../habits.js";
import { blockHeader, blockKey } from "../keys.js";
import type { BlockKey } from "../program.js";
import type { BoundKind, Kinds } from "./kinds.js";
import { kindOf } from "./top-level.js";

export interface BlockInstance {
  readonly key: string;
  readonly kind: BoundKind;
  readonly labels: readonly string[];
  readonly body: BlockBody;
  /** What its labels were worked out from. */
  readonly uses: Dependencies;
}

export interface Hints {
  /** Namespaces that are declared, whether or not their plugin could be bound. */
  readonly declared: ReadonlySet<string>;
  /** Kinds of known but undeclared plugins, with the plugin's name: for hints. */
  readonly undeclared: ReadonlyMap<string, string>;
}

/** The blocks of the load before. */
export interface EarlierBlocks {
  /** The key of one with the same node, kind and labels: these need not be checked again. */
  keyOf(node: tree.BlockNode, kind: BoundKind, labels: readonly string[]): BlockKey | undefined;
}

/** The blocks in source order. Blocks of unknown kinds and second ones of a key are left out after complaining. */
export async function instancesOf(
  sites: readonly BlockSite[],
  kinds: Kinds,
  hints: Hints,
  before: EarlierBlocks,
  world: EvaluationRun,
): Promise<ReadonlyMap<string, BlockInstance>> {
  const instances = new Map<string, BlockInstance>();
  for (const site of sites) {
    if (isTurnOver()) await nextTurn();
    world.countBlocks(1, () => headerLocation(site));
    const kind = kinds.find(kindOf(site));
    if (!kind) unknownKind(site, kinds, hints, world);
    else {
      const made = makeInstance(site, kind, before, world);
      const earlier = made && instances.get(made.key);
      if (earlier) twice(made, earlier);
      else if (made) instances.set(made.key, made);
    }
  }
  return instances;
}

function makeInstance(
  site: BlockSite,
  kind: BoundKind,
  before: EarlierBlocks,
  world: EvaluationRun,
): BlockInstance | undefined {
  const { descriptor, translator } = kind;
  const uses = new Dependencies();
  const report = reportWithin(world.report, undefined, site.trace);
  const labels = evaluateLabels(site, world, report, uses);
  if (!labels) return undefined;
  const known = before.keyOf(site.node, kind, labels);
  if (known === undefined && !checkLabels(labels, site, descriptor, translator, report)) {
    return undefined;
  }
  const body = new BlockBody(site, descriptor, () => blockHeader(kind.name, labels), world);
  if (descriptor.deprecated) {
    warnDeprecatedBlock(kind.name, site, descriptor.deprecated, body.report);
  }
  return { key: known ?? blockKey(kind.name, labels), kind, labels, body, uses };
}

function twice(made: BlockInstance, earlier: BlockInstance): void {
  const repeated = made.body.site.node === earlier.body.site.node;
  made.body.report(
    createDiagnostic("E105", made.body.header, `there is a block \`${made.key}\` already`, {
      ...(repeated
        ? { help: 'its name must be different in every round: `"name-${variable}"`' }
        : { related: [{ location: earlier.body.header, message: "first given here" }] }),
    }),
  );
}

function unknownKind(site: BlockSite, kinds: Kinds, hints: Hints, world: EvaluationRun): void {
  const kind = kindOf(site);
  const [first, second] = site.node.type;
  if (second && hints.declared.has(first.text) && !kinds.namespaces.has(first.text)) return;
  const location = locationIn(site.scope.unit.name, {
    start: first.start,
    end: (second ?? first).end,
  });
  const report = reportWithin(world.report, undefined, site.trace);
  if (second && kinds.names.includes(first.text)) {
    const meant = `${first.text} "${second.text}"`;
    report(
      createDiagnostic("E102", location, `there is no block \`${kind}\``, {
        label: `write \`${meant}\``,
        fix: { title: `write \`${meant}\``, edits: [{ ...location, text: meant }] },
      }),
    );
    return;
  }
  const provider = hints.undeclared.get(kind) ?? (second ? first.text : undefined);
  if (provider !== undefined && !kinds.namespaces.has(provider)) {
    report(
      createDiagnostic(
        "E111",
        location,
        `\`${kind}\` is provided by the plugin \`${provider}\`, which is not declared`,
        { help: `declare it: \`plugin "${provider}" { source = "npm:…" }\`` },
      ),
    );
    return;
  }
  const parent = kinds.parentOf(kind);
  const advice = parent === undefined ? adviceOnBlock(kind) : undefined;
  const suggestion =
    parent === undefined && advice === undefined ? suggest(kind, kinds.names) : undefined;
  report(
    createDiagnostic("E102", location, `there is no block \`${kind}\``, {
      label: suggestFix(suggestion),
      fix: renameFix(location, suggestion),
      help: parent === undefined ? advice : `\`${kind}\` stands inside of \`${parent}\``,
    }),
  );
}
