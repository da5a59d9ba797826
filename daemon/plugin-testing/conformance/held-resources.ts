/** What keeps this process from ending, by kind, and whether there is more of it than before. */
import { setTimeout } from "node:timers/promises";

export type Held = ReadonlyMap<string, number>;

/** Milliseconds that closing may take in the background. */
const PATIENCE = 3_000;
const PAUSE = 20;

export function held(): Held {
  const counts = new Map<string, number>();
  for (const kind of process.getActiveResourcesInfo()) {
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return counts;
}

/** Kinds that there is more of than `before`, once what closes has closed. */
export async function heldResources(before: Held): Promise<readonly string[]> {
  for (let waited = 0; ; waited += PAUSE) {
    const now = held();
    const more = [...now].filter(([kind, count]) => count > (before.get(kind) ?? 0));
    if (more.length === 0 || waited >= PATIENCE) return more.map(([kind]) => kind);
    // Not counted: a pending timer of its own would be.
    await setTimeout(PAUSE, undefined, { ref: false });
  }
}
