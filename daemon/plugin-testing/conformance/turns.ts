/** A few checks may run at the same time, but one that counts what the process holds has to be alone. */

/** More at once only make each other late. */
const LANES = 3;
const lanes: Array<Promise<unknown>> = Array.from({ length: LANES }, () => Promise.resolve());
let next = 0;

export function together<Result>(work: () => Promise<Result>): Promise<Result> {
  const lane = next++ % LANES;
  const result = (lanes[lane] ?? Promise.resolve()).then(work);
  lanes[lane] = result.catch(() => undefined);
  return result;
}

export function alone<Result>(work: () => Promise<Result>): Promise<Result> {
  const result = Promise.all(lanes).then(work);
  lanes.fill(result.catch(() => undefined));
  return result;
}
