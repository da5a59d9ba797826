import { match } from "../reading/lexemes.js";
import { createMistake, type RecoveryPoint } from "./mistake.js";
import { code } from "./wording.js";

/** Text that was meant as a string: a path, an address, a pattern. */
const BARE_TEXT = /[^\s"'`,;{}()[\]#]+/y;

/** Text without quotes where a string is needed. */
export function unquoted(text: string, at: number): RecoveryPoint {
  const end = Math.max(match(BARE_TEXT, text, at), at + 1);
  const meant = `"${text.slice(at, end)}"`;
  return {
    complaint: createMistake("E023", at, end, "text needs quotes", {
      label: `write ${code(meant)}`,
      replacement: meant,
    }),
    resume: end,
  };
}
