/** The shortest allow list for what commands reached. */
import type { RequestTally } from "./request-tally.js";

/** Sorted entries: with a prefix if only one protocol was used, without names that another entry covers. */
export function smallestAllowList(reached: RequestTally["allowed"]): string[] {
  const entries = [...reached].map(([name, how]) => ({
    name,
    protocol: how.size === 1 ? [...how][0] : undefined,
  }));
  const needed = entries.filter(
    ({ name, protocol }) =>
      !entries.some(
        (other) =>
          name.endsWith(`.${other.name}`) &&
          (other.protocol === undefined || other.protocol === protocol),
      ),
  );
  return needed
    .sort((one, other) => (one.name < other.name ? -1 : 1))
    .map(({ name, protocol }) => (protocol === undefined ? name : `${protocol}://${name}`));
}
