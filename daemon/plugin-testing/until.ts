import { setTimeout } from "node:timers/promises";

/** Milliseconds. */
const PATIENCE = 60_000;

/** Looks again and again until it holds. @throws Error naming `what` when it never does. */
export async function until(
  holds: () => boolean | Promise<boolean>,
  what: string,
  patience: number = PATIENCE,
): Promise<void> {
  const end = Date.now() + patience;
  while (!(await holds())) {
    if (Date.now() > end) throw new Error(`Waited in vain for ${what}.`);
    await setTimeout(5);
  }
}
