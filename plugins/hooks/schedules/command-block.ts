/** The command of a schedule, with the limits of its `overlap`. */
import type { CommandBlock, ScheduleBlock } from "../blocks/blocks.js";

const LIMITS = {
  skip: { concurrency: 1, queue: 0 },
  queue_one: { concurrency: 1, queue: 1 },
  // The replaced run ends while the new one waits.
  replace: { concurrency: 1, queue: 1 },
  allow: { concurrency: 1000, queue: 0 },
} as const;

export const commandBlockOf = (block: ScheduleBlock): CommandBlock => ({
  ...{ kind: block.kind, label: block.label, labels: block.labels, key: block.key },
  ...{ doc: block.doc, range: block.range, rangeOf: block.rangeOf.bind(block) },
  values: { ...block.values, ...LIMITS[block.values.overlap], overflow: "refuse" },
});
