/** How a file is written: strict JSON, JSON with comments, or JSON5. */
import { extname } from "node:path";

export const DIALECTS = ["json", "jsonc", "json5"] as const;
export type JsonDialect = (typeof DIALECTS)[number];

/** By the file's name; what is not known is strict JSON. */
export function dialectOf(path: string): JsonDialect {
  if (path.endsWith(".json")) return "json";
  const extension = extname(path).slice(1).toLowerCase();
  return DIALECTS.find((dialect) => dialect === extension) ?? "json";
}
