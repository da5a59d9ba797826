/** An own property of a record by an untrusted name: `constructor` is a name like any other. */
export function ownProperty<Part>(
  record: Readonly<Record<string, Part>> | undefined,
  name: string,
): Part | undefined {
  return record && Object.hasOwn(record, name) ? record[name] : undefined;
}
