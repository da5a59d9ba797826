/** The formats of exported schemas. */
export const FORMATS = ["json-schema", "reference", "descriptor"] as const;
export type SchemaFormat = (typeof FORMATS)[number];
