/** Divides work on all hooks, so that the event loop serves requests between the parts. */
import { setImmediate } from "node:timers/promises";

/** One or two milliseconds of work. */
const PART = 64;

export async function* inParts<Item>(items: readonly Item[]): AsyncGenerator<readonly Item[]> {
  for (let first = 0; first < items.length; first += PART) {
    if (first > 0) await setImmediate();
    yield items.slice(first, first + PART);
  }
}
