/** The forms in which it is told what configurations can say. */
export const FORMATS = ["json-schema", "reference", "descriptor"] as const;
export type SchemaFormat = (typeof FORMATS)[number];
