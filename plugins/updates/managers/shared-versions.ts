/** Artifacts that take their version from one property move together, and so do all that are linked through them. */

export interface SharedVersion {
  /** The same text for all of them. */
  readonly word: string;
  readonly others: readonly string[];
}

interface PropertyUser {
  readonly name: string;
  readonly properties: ReadonlySet<string>;
}

/** By name, without artifacts that share no property. */
export function sharing(artifacts: readonly PropertyUser[]): ReadonlyMap<string, SharedVersion> {
  const users = Map.groupBy(
    artifacts.flatMap(({ name, properties }) =>
      [...properties].map((property) => ({ name, property })),
    ),
    ({ property }) => property,
  );
  const propertiesOf = new Map(artifacts.map(({ name, properties }) => [name, properties]));
  const result = new Map<string, SharedVersion>();
  for (const { name } of artifacts) {
    if (result.has(name)) continue;
    const members = new Set([name]);
    const properties = new Set<string>();
    for (const member of members)
      for (const property of propertiesOf.get(member) ?? []) {
        properties.add(property);
        for (const user of users.get(property) ?? []) members.add(user.name);
      }
    if (members.size === 1) continue;
    const word = [...properties].toSorted()[0] ?? name;
    for (const member of members)
      result.set(member, { word, others: [...members].filter((other) => other !== member) });
  }
  return result;
}
