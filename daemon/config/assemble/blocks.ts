/** From instances to the blocks of a program. */
import { isTurnOver, nextTurn } from "../../plugin-api/turns.js";
import { checkBlock } from "../check/check-block.js";
import { Dependencies } from "../evaluate/dependencies.js";
import type { BlockKey, ProgramBlock } from "../program.js";
import { secretsIn } from "../values/secret-references.js";
import type { BlockInstance } from "./instances.js";
import type { KeptBlock, Reuse } from "./reuse.js";

export interface CheckedInstance {
  readonly instance: BlockInstance;
  readonly block: ProgramBlock;
  /** Whether everything declared holds. */
  readonly sound: boolean;
  /** What its values depend on. */
  readonly uses: Dependencies;
  /** Absent for a block that the next load cannot take over. */
  readonly kept?: KeptBlock | undefined;
}

/** Checks every block that cannot be reused; reports all errors. */
export async function checkInstances(
  instances: ReadonlyMap<BlockKey, BlockInstance>,
  reuse: Reuse,
): Promise<readonly CheckedInstance[]> {
  const exists = (key: BlockKey): boolean => instances.has(key);
  const all: CheckedInstance[] = [];
  for (const instance of instances.values()) {
    if (isTurnOver()) await nextTurn();
    const kept = reuse.take(instance, exists);
    if (kept) all.push({ instance, block: kept.block, uses: kept.uses, sound: true, kept });
    else all.push(checkAnew(instance, reuse));
  }
  return all;
}

function checkAnew(instance: BlockInstance, reuse: Reuse): CheckedInstance {
  const { world } = instance.body;
  const { effort, complaints } = world;
  const checked = checkInstance(instance);
  if (!checked.sound || world.complaints !== complaints) return checked;
  return { ...checked, kept: reuse.keep(instance, checked.block, checked.uses, effort) };
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
    secrets: secretsIn(values),
  };
  return { instance, block, sound, uses };
}
