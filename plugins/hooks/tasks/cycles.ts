/** How long chains of tasks are, and which never end. Pure. */
import type { TaskBlock } from "../blocks/blocks.js";

/** Runs in a chain, the first included. */
export const DEEPEST = 16;

/** The keys from a task back to itself, in the order of the runs; `undefined` if there is no such way. */
export function cycleOf(
  task: TaskBlock,
  tasks: readonly TaskBlock[],
): readonly string[] | undefined {
  const known = new Map(tasks.map((each) => [each.key, each]));
  const seen = new Set<string>();
  const search = (key: string, way: readonly string[]): readonly string[] | undefined => {
    for (const { key: before } of known.get(key)?.values.after ?? []) {
      if (before === task.key) return [before, ...way];
      if (seen.has(before)) continue;
      seen.add(before);
      const found = search(before, [before, ...way]);
      if (found) return found;
    }
    return undefined;
  };
  return search(task.key, [task.key]);
}

/** The longest chain that ends with the task. Without cycles. */
export function depthOf(task: TaskBlock, tasks: readonly TaskBlock[]): number {
  const known = new Map(tasks.map((each) => [each.key, each]));
  const depths = new Map<string, number>();
  const depth = (key: string): number => {
    const present = depths.get(key);
    if (present !== undefined) return present;
    const before = known.get(key)?.values.after ?? [];
    const found = 1 + Math.max(0, ...before.map((each) => depth(each.key)));
    depths.set(key, found);
    return found;
  };
  return depth(task.key);
}
