/** `sandbox.build`, `hook["deploy-api"].url`, `acme.chat.ops`: blocks and their exports in expressions. */
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, renameFix, suggestFix } from "../diagnose.js";
import { blockKey } from "../keys.js";
import { BlockReference } from "../values/value.js";
import { type BlockDirectory, type EvaluationContext, locationOf } from "./evaluation-run.js";
import { BROKEN, NoValue } from "./outcome.js";
import type { Head, PathStep } from "./steps.js";
import { evaluateKnown } from "./strict.js";

/** `undefined` where the name is no kind of block. */
export function resolveBlock(
  name: tree.Name,
  steps: readonly PathStep[],
  context: EvaluationContext,
): Head | undefined {
  const { kinds } = context.world;
  const [first] = steps;
  const dotted = first?.kind === "member" ? `${name.text}.${first.name.text}` : undefined;
  const kind = dotted !== undefined && kinds.has(dotted) ? dotted : name.text;
  if (!kinds.has(kind)) return undefined;
  const consumed = kind === dotted ? 1 : 0;
  const blocks = context.world.blocks;
  if (!blocks) {
    context.report(
      createDiagnostic("E216", locationOf(name, context), "blocks cannot be referred to here", {
        help: "labels, imports and what stands around blocks are worked out before any block is known",
      }),
    );
    return { outcome: BROKEN, used: steps.length };
  }
  return referred(kind, consumed, name, steps, blocks, context);
}

function referred(
  kind: string,
  consumed: number,
  name: tree.Name,
  steps: readonly PathStep[],
  blocks: BlockDirectory,
  context: EvaluationContext,
): Head {
  const all = steps.length;
  const count = blocks.labelCount(kind);
  const labelSteps = steps.slice(consumed, consumed + count);
  const labels: string[] = [];
  for (const step of labelSteps) {
    const label = labelOf(step, context);
    if (label instanceof NoValue) return { outcome: label, used: all };
    labels.push(label);
  }
  const end = labelSteps.at(-1) ?? steps[consumed - 1] ?? name;
  const location = locationOf({ start: name.start, end: end.end }, context);
  const key = blockKey(kind, labels);
  const found = blocks.find(key);
  if (!found) {
    const suggestion = suggest(key, blocks.keysOf(kind));
    const defined = suggestion === undefined ? undefined : blocks.find(suggestion)?.location;
    context.report(
      createDiagnostic("E212", location, `\`${key}\` does not exist`, {
        label: suggestFix(suggestion),
        fix: renameFix(location, suggestion),
        related: defined ? [{ location: defined, message: "defined here" }] : undefined,
        help:
          suggestion === undefined && blocks.keysOf(kind).length === 0
            ? `there is no \`${kind}\` block at all`
            : undefined,
      }),
    );
    return { outcome: BROKEN, used: all };
  }
  context.uses.addBlock(key);
  const used = consumed + labelSteps.length;
  const next = steps[used];
  if (!next) return { outcome: new BlockReference(kind, found.label, key), used };
  return exported(key, next, used, all, blocks, context);
}

function labelOf(step: PathStep, context: EvaluationContext): string | NoValue {
  if (step.kind === "member") return step.name.text;
  if (!step.index) {
    context.report(
      createDiagnostic("E307", locationOf(step, context), "`[*]` does not go with blocks"),
    );
    return BROKEN;
  }
  const label = evaluateKnown(step.index, "the name of a block is needed now", context);
  if (label instanceof NoValue || typeof label === "string") return label;
  context.report(
    createDiagnostic("E307", locationOf(step.index, context), "the name of a block is a string"),
  );
  return BROKEN;
}

/** What a block lets others read. */
function exported(
  key: string,
  step: PathStep,
  used: number,
  all: number,
  blocks: BlockDirectory,
  context: EvaluationContext,
): Head {
  const name = step.kind === "member" ? step.name.text : undefined;
  const location = locationOf(step.kind === "member" ? step.name : step, context);
  const outcome = name === undefined ? undefined : blocks.exportOf(key, name, context, location);
  context.uses.readsBlocks = true;
  if (outcome !== undefined) return { outcome, used: used + 1 };
  const names = blocks.exportsOf(key);
  const suggestion = name === undefined ? undefined : suggest(name, names);
  const shown = names.map((each) => `\`${each}\``).join(", ");
  context.report(
    createDiagnostic("E213", location, `\`${key}\` has nothing of that name for others to read`, {
      label: suggestFix(suggestion),
      fix: step.kind === "member" ? renameFix(location, suggestion) : undefined,
      help:
        names.length === 0
          ? "it exports nothing; refer to the block itself"
          : `it exports ${shown}`,
    }),
  );
  return { outcome: BROKEN, used: all };
}
