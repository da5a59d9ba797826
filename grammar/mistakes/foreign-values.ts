/** Values of other languages: grouped digits, patterns between slashes, here-documents. */
import { match, skipLine, skipTrivia } from "../reading/lexemes.js";
import { abandonedBlockEnd } from "../reading/strings.js";
import { foreignSyntax } from "./foreign-syntax.js";
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
function hereDocumentEnd(text: string, start: number, end: number): number {
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

/** `- name = value`: the item behind the dash is read. */
export function listDash(text: string, at: number): RecoveryPoint | undefined {
  const end = match(/-[ \t]+(?=[A-Za-z_]\w*[ \t]*(?:=(?!=)|:|["{]))/y, text, at);
  if (end < 0) return undefined;
  return {
    complaint: createMistake("E001", at, at + 1, "items have no `-` before them", {
      help: 'a list is written in brackets: name = ["a", "b"]',
      fix: { title: "delete it", edits: [{ start: at, end, text: "" }] },
    }),
    resume: end,
    harmless: true,
  };
}

/** The end of a comment of another language. */
function commentEnd(text: string, at: number): number {
  const closed = match(/\/\*.{0,500}?\*\//sy, text, at);
  return closed < 0 ? skipLine(text, at) : closed;
}

/** The mistake of a habit from another language that stands here. */
export function foreignRecovery(text: string, at: number): RecoveryPoint | undefined {
  const foreign = foreignSyntax(text, at);
  if (foreign === undefined) return undefined;
  return foreign.code === "E024"
    ? { complaint: foreign, resume: commentEnd(text, at), harmless: true }
    : { complaint: foreign, resume: hereDocumentEnd(text, foreign.start, foreign.end) };
}
