/**
 * Divides long work among turns of the event loop, so that requests are served in between. All work of a thread shares one
 * budget for each turn: several short parts one after the other, or at the same time, do not add up to a long one.
 */
import { setImmediate as turn } from "node:timers/promises";

/** Milliseconds of a turn. */
const BUDGET = 4;
/** When this turn began; absent before its first work. */
let began: number | undefined;

/** Whether to call `nextTurn` before more work. A separate call: most steps need not wait for a promise. */
export function isTurnOver(): boolean {
  if (began !== undefined) return performance.now() - began >= BUDGET;
  began = performance.now();
  setImmediate(() => {
    began = undefined;
  });
  return false;
}

/** Resolves after the event loop has served what waited. */
export const nextTurn = (): Promise<void> => turn();

/**
 * Calls `work` for each item in order, and lets the event loop serve requests after every few milliseconds of it. For
 * work on all blocks of a configuration: thousands of them must not delay requests. A promise of `work` is awaited before the
 * next item. Rejects with what `work` throws.
 */
export async function inTurns<Item>(
  items: Iterable<Item>,
  work: (item: Item) => void | Promise<void>,
): Promise<void> {
  for (const item of items) {
    if (isTurnOver()) await nextTurn();
    const pending = work(item);
    if (pending instanceof Promise) await pending;
  }
}
