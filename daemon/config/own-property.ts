/** A part of a record by a name that somebody else chose: `constructor` is a name like any other. */
export function ownProperty<Part>(
  record: Readonly<Record<string, Part>> | undefined,
  name: string,
): Part | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}
