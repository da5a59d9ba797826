/** All codes of diagnostics that this program knows by itself. */

import { CATALOG_CODES } from "../../daemon/catalog/codes.js";
import type { ConfigurationCode } from "../../daemon/config/codes/entry.js";
import { CONFIG_CODES } from "../../daemon/config/codes.js";
import { HOST_CODES } from "../../daemon/host/codes.js";
import { SYNTAX_CODES } from "../../grammar/codes.js";

export type CodeExplanation = Pick<ConfigurationCode, "title" | "explanation"> & {
  readonly example?: ConfigurationCode["example"];
};

export const explanations: Readonly<Record<string, CodeExplanation>> = {
  ...SYNTAX_CODES,
  ...CONFIG_CODES,
  ...CATALOG_CODES,
  ...HOST_CODES,
};

export const explanationOf = (code: string): CodeExplanation | undefined =>
  Object.hasOwn(explanations, code) ? explanations[code] : undefined;

/** The files of a code's example that are text; none where there is no example, or more than anybody wants to read. */
export function exampleOf({
  example,
}: CodeExplanation): ReadonlyArray<{ readonly name: string; readonly text: string }> {
  const files = typeof example === "function" ? example() : { "main.reeve": example };
  const texts = Object.entries(files).flatMap(([name, text]) =>
    typeof text === "string" ? [{ name, text }] : [],
  );
  const size = texts.reduce((total, { text }) => total + text.length, 0);
  return texts.length > MOST || size > LONGEST ? [] : texts;
}

/** Files and characters. Examples of limits are longer. */
const MOST = 5;
const LONGEST = 1000;
