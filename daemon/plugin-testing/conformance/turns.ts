/** A few checks may run at the same time, but one that counts what the process holds has to be alone. */

/** More at once only make each other late. */
const SLOTS = 3;
const lanes: Array<Promise<unknown>> = Array.from({ length: SLOTS }, () => Promise.resolve());
let next = 0;

export function together<Result>(work: () => Promise<Result>): Promise<Result> {
  const slot = next++ % SLOTS;
  const result = (lanes[slot] ?? Promise.resolve()).then(work);
  lanes[slot] = result.catch(() => undefined);
  return result;
}

export function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = Promise.all(lanes).then(work);
  lanes.fill(result.catch(() => undefined));
  return result;
}
