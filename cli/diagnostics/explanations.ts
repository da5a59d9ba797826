/** All codes of diagnostics that this program knows by itself. */

import { CATALOG_CODES } from "../../daemon/catalog/codes.js";
import type { CodeEntry } from "../../daemon/config/codes/entry.js";
import { CONFIG_CODES } from "../../daemon/config/codes.js";
import { SYNTAX_CODES } from "../../grammar/codes.js";

export type Explanation = Pick<CodeEntry, "title" | "explanation"> & {
  readonly example?: CodeEntry["example"];
};

export const explanations: Readonly<Record<string, Explanation>> = {
  ...SYNTAX_CODES,
  ...CONFIG_CODES,
  ...CATALOG_CODES,
};

export const explanationOf = (code: string): Explanation | undefined =>
  Object.hasOwn(explanations, code) ? explanations[code] : undefined;
