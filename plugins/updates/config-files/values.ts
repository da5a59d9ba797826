/** Accessors for parsed YAML of any shape. */

export type YamlMapping = Readonly<Record<string, unknown>>;

export const mappingIn = (value: unknown): YamlMapping | undefined =>
  typeof value === "object" && value !== null && !Array.isArray(value)
    ? (value as YamlMapping)
    : undefined;

export const listIn = (value: unknown): readonly unknown[] => (Array.isArray(value) ? value : []);

export const mappingsIn = (value: unknown): readonly YamlMapping[] =>
  listIn(value).flatMap((each) => {
    const mapping = mappingIn(each);
    return mapping ? [mapping] : [];
  });

export const stringIn = (value: unknown): string | undefined =>
  typeof value === "string" || typeof value === "number" ? String(value) : undefined;

/** One string, or a list of strings. */
export const stringsIn = (value: unknown): readonly string[] =>
  (Array.isArray(value) ? value : [value]).flatMap((each) => stringIn(each) ?? []);

export const numberIn = (value: unknown): number | undefined =>
  typeof value === "number" && Number.isFinite(value) ? value : undefined;
