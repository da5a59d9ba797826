/** Artifacts whose version one property says move together, all that hang on each other. */

export interface SharedVersion {
  /** The same for all of them. */
  readonly word: string;
  readonly others: readonly string[];
}

interface Sharer {
  readonly name: string;
  readonly properties: ReadonlySet<string>;
}

/** By name; nothing for those that share with nobody. */
export function sharing(groups: readonly Sharer[]): ReadonlyMap<string, SharedVersion> {
  const users = Map.groupBy(
    groups.flatMap(({ name, properties }) =>
      [...properties].map((property) => ({ name, property })),
    ),
    ({ property }) => property,
  );
  const properties = new Map(groups.map(({ name, properties: own }) => [name, own]));
  const result = new Map<string, SharedVersion>();
  for (const { name } of groups) {
    if (result.has(name)) continue;
    const members = new Set([name]);
    const words = new Set<string>();
    for (const member of members)
      for (const property of properties.get(member) ?? []) {
        words.add(property);
        for (const user of users.get(property) ?? []) members.add(user.name);
      }
    if (members.size === 1) continue;
    const word = [...words].toSorted()[0] ?? name;
    for (const member of members)
      result.set(member, { word, others: [...members].filter((other) => other !== member) });
  }
  return result;
}
