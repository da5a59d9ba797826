/** Merges records of one vulnerability. Several databases (GHSA, CVE, PYSEC, RUSTSEC) list it and name each other. */
import type { Advisory } from "./contract.js";

/** One advisory for each vulnerability: the most detailed record, with the other ids as its aliases. */
export function mergeAliases(advisories: readonly Advisory[]): readonly Advisory[] {
  const groups: Advisory[][] = [];
  for (const advisory of advisories) {
    const [joined = [], ...others] = groups.filter((group) =>
      group.some((one) => isSame(one, advisory)),
    );
    if (joined.length === 0) groups.push(joined);
    joined.push(advisory, ...others.flat());
    for (const other of others) groups.splice(groups.indexOf(other), 1);
  }
  return groups.map(merged);
}

const namesOf = ({ id, aliases }: Advisory): readonly string[] => [id, ...aliases];

const isSame = (a: Advisory, b: Advisory): boolean =>
  namesOf(a).some((name) => namesOf(b).includes(name));

function merged(group: readonly Advisory[]): Advisory {
  const weight = ({ summary, severity }: Advisory): number =>
    (summary === "" ? 0 : 2) + (severity === undefined ? 0 : 1);
  const [best] = group.toSorted((a, b) => weight(b) - weight(a)) as [Advisory];
  const names = new Set(group.flatMap(namesOf));
  names.delete(best.id);
  return { ...best, aliases: [...names] };
}
