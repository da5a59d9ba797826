/** The command of a schedule, a watch or a task, with the limits of its runs. */
import type { CommandBlock, ScheduleBlock, TaskBlock, WatchBlock } from "../blocks/blocks.js";
import type { QueueLimits } from "../runs/concurrency-queue.js";

export type TriggerBlock = ScheduleBlock | WatchBlock | TaskBlock;

export const commandBlockOf = (block: TriggerBlock): CommandBlock => ({
  kind: block.kind,
  label: block.label,
  labels: block.labels,
  key: block.key,
  doc: block.doc,
  range: block.range,
  rangeOf: block.rangeOf.bind(block),
  values: { ...block.values, ...limitsOf(block), overflow: "refuse" },
});

type Limits = Pick<QueueLimits, "concurrency" | "queue">;

function limitsOf(block: TriggerBlock): Limits {
  switch (block.kind) {
    case "schedule":
      return OVERLAP[(block as ScheduleBlock).values.overlap];
    case "watch":
      // One more by hand may wait.
      return { concurrency: 1, queue: 1 };
    default: {
      const { concurrency, queue } = (block as TaskBlock).values;
      return { concurrency, queue };
    }
  }
}

const OVERLAP = {
  skip: { concurrency: 1, queue: 0 },
  queue_one: { concurrency: 1, queue: 1 },
  // The replaced run ends while the new one waits.
  replace: { concurrency: 1, queue: 1 },
  allow: { concurrency: 1000, queue: 0 },
} as const satisfies Readonly<Record<ScheduleBlock["values"]["overlap"], Limits>>;
