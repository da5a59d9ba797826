/**
 * Checks a block against its descriptor: reports every error, converts values for the plugin and records their
 * locations.
 */

import type { BlockDescriptor } from "../../plugin-api/descriptor.js";
import type { Range } from "../../plugin-api/values.js";
import { Dependencies } from "../evaluate/dependencies.js";
import { ConfiguredBlock, pathKey } from "../values/block.js";
import type { BlockBody, NestedBody } from "./block-body.js";
import { checkAttributes } from "./check-attributes.js";
import { checkNestedKinds, nestedBodies } from "./nested.js";
import type { Translator } from "./translate.js";

export interface CheckedBlock {
  readonly values: Readonly<Record<string, unknown>>;
  /** By path joined with NUL; `""` is the header. */
  readonly ranges: Map<string, Range>;
  /** Blocks and inputs that its values depend on. */
  readonly uses: Dependencies;
  /** Nothing was complained about, and nothing is pending. */
  readonly sound: boolean;
}

export function checkBlock(body: BlockBody, key: string, translator: Translator): CheckedBlock {
  const uses = new Dependencies();
  const ranges = new Map<string, Range>([["", body.header]]);
  const attributes = checkAttributes(body, translator, ranges, uses);
  const values: Record<string, unknown> = { ...attributes.values };
  let sound = attributes.sound;
  const nested = nestedBodies(body, translator);
  sound = checkNestedKinds(body, nested) && nested.sound && sound;
  for (const [kind, descriptor] of Object.entries(body.descriptor.blocks)) {
    const blocks: ConfiguredBlock[] = [];
    for (const [index, each] of (nested.byKind.get(kind) ?? []).entries()) {
      const checked = checkNested(each, `${key}.${kind}[${index}]`, translator);
      sound &&= checked.sound;
      uses.add(checked.uses);
      blocks.push(checked.block);
      adoptRanges(ranges, nestedLocation(descriptor, kind, index), checked.block.ranges);
    }
    values[kind] = descriptor.maximum === 1 ? blocks[0] : blocks;
  }
  uses.add(body.uses);
  // Copied, because V8 keeps an object that grew name by name as a hash table of several times the size.
  return { values: { ...values }, ranges, uses, sound };
}

/** A nested block with a maximum of one is an object, not a list. */
const nestedLocation = (
  descriptor: BlockDescriptor & { readonly maximum?: number },
  kind: string,
  index: number,
): ReadonlyArray<string | number> => (descriptor.maximum === 1 ? [kind] : [kind, index]);

function checkNested(nested: NestedBody, key: string, translator: Translator) {
  const checked = checkBlock(nested.body, key, translator);
  const block = new ConfiguredBlock({
    kind: nested.kind,
    labels: nested.labels,
    key,
    values: checked.values,
    doc: nested.body.site.node.doc,
    ranges: checked.ranges,
  });
  return { block, sound: checked.sound, uses: checked.uses };
}

function adoptRanges(
  ranges: Map<string, Range>,
  path: ReadonlyArray<string | number>,
  inner: ReadonlyMap<string, Range>,
): void {
  const prefix = pathKey(path);
  for (const [key, range] of inner) {
    ranges.set(key === "" ? prefix : pathKey([prefix, key]), range);
  }
}
