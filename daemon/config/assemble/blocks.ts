/** From instances to the blocks of a program. */
import { checkBlock } from "../check/check-block.js";
import { Uses } from "../evaluate/scope.js";
import type { BlockKey, ProgramBlock } from "../program.js";
import type { BlockInstance } from "./instances.js";

export interface CheckedInstance {
  readonly instance: BlockInstance;
  readonly block: ProgramBlock;
  /** Whether everything declared holds. */
  readonly sound: boolean;
  /** What its values depend on. */
  readonly uses: Uses;
}

/** Checks every block; all faults are told, whatever else is wrong. */
export function checkInstances(
  instances: ReadonlyMap<BlockKey, BlockInstance>,
): readonly CheckedInstance[] {
  return [...instances.values()].map(checkInstance);
}

function checkInstance(instance: BlockInstance): CheckedInstance {
  const { key, kind, labels, body } = instance;
  const { values, ranges, uses, sound } = checkBlock(body, key, kind.translator);
  uses.add(instance.uses);
  const block: ProgramBlock = {
    key,
    plugin: kind.plugin.description.id,
    kind: kind.bare,
    labels,
    values,
    ranges,
    references: [...uses.blocks],
    doc: body.site.node.doc,
    trace: body.site.trace,
    descriptor: kind.descriptor,
  };
  return { instance, block, sound, uses };
}
