/** Values of other languages: grouped digits, patterns between slashes, here-documents. */
import { match, skipTrivia } from "../reading/lexemes.js";
import { abandonedBlockEnd } from "../reading/strings.js";
import { createMistake, type RecoveryPoint } from "./mistake.js";
import { code } from "./wording.js";

/** `10,000` */
export function groupedNumber(text: string, start: number): RecoveryPoint | undefined {
  const end = match(/[0-9]{1,3}(?:,[0-9]{3})+(?![\w.,])/y, text, start);
  if (end < 0) return undefined;
  const meant = text.slice(start, end).replaceAll(",", "_");
  return {
    complaint: createMistake(
      "E026",
      start,
      end,
      "the digits of a number are not grouped by commas",
      {
        label: `write ${code(meant)}`,
        replacement: meant,
      },
    ),
    resume: end,
  };
}

/** `/^v1/i` */
export function slashedPattern(text: string, at: number): RecoveryPoint | undefined {
  const slashed = /\/((?:[^/\\"\r\n]|\\.)+)\/([ims]*)(?![\w/])/y;
  slashed.lastIndex = at;
  const [whole, source = "", flags = ""] = slashed.exec(text) ?? [];
  if (whole === undefined) return undefined;
  const end = at + whole.length;
  const meant = `re"${source.replaceAll("\\/", "/")}"${flags}`;
  const message = "a pattern has quotes, not slashes";
  return {
    complaint: createMistake("E033", at, end, message, {
      label: `write ${code(meant)}`,
      replacement: meant,
    }),
    resume: end,
  };
}

/** The end of a here-document's last line, given the end of its first word. */
export function hereDocumentEnd(text: string, start: number, end: number): number {
  const [, word = ""] = /^<<[-~]?['"]?(\w+)/.exec(text.slice(start, end)) ?? [];
  const last = new RegExp(`\\n[ \\t]*${word}(?=[ \\t]*(?:[\\r\\n]|$))`, "g");
  last.lastIndex = end;
  return word !== "" && last.test(text) ? last.lastIndex : end;
}

/** `hook = "deploy" {`; the label begins at `start`. */
export function equalsBeforeLabel(text: string, start: number): RecoveryPoint {
  const sign = text.lastIndexOf("=", start);
  const bodyEnd = skipTrivia(text, abandonedBlockEnd(text, start));
  return {
    complaint: createMistake("E011", sign, sign + 1, "write the label without `=` before it", {
      help: 'a block is written: kind "label" { … }',
      fix: { title: "delete it", edits: [{ start: sign, end: start, text: "" }] },
    }),
    resume: text.charAt(bodyEnd) === "}" ? bodyEnd + 1 : bodyEnd,
  };
}
