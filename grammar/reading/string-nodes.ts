/** Nodes for strings and regular expressions, from the pieces the grammar has cut out. */
import { createMistake, type Mistake, type ReportMistake } from "../mistakes/mistake.js";
import type {
  ExpressionNode,
  RegexLiteral,
  Span,
  StringForm,
  StringLiteral,
  TemplateHole,
  TemplateLiteral,
  TemplateText,
} from "../tree.js";
import { BLOCK_LANGUAGE, match } from "./lexemes.js";
import {
  type BlockLayout,
  blockLayout,
  blockText,
  decodeEscapes,
  type RawText,
} from "./strings.js";

type Piece = RawText | TemplateHole;
type StringNode = StringLiteral | TemplateLiteral;

/** `"…"` with escapes or holes in it. */
export function quotedString(
  text: string,
  location: Span,
  pieces: readonly Piece[],
  closed: boolean,
  report: ReportMistake,
): StringNode {
  if (!closed) report(unclosedQuote(location, 1));
  const decode = ({ start, end }: RawText) => decodeEscapes(text.slice(start, end), start, report);
  return assemble(location, "quoted", undefined, pieces, decode);
}

/** `r"…"`, without its closing quote when it is missing. */
export function rawString(
  text: string,
  location: Span,
  closed: boolean,
  report: ReportMistake,
): StringNode {
  if (!closed) report(unclosedQuote(location, 2));
  const value = text.slice(location.start + 2, closed ? location.end - 1 : location.end);
  return { kind: "string", ...location, value, form: "raw" };
}

/** `"""…"""`. The opening quotes are followed by an optional word for highlighting. */
export function blockString(
  text: string,
  location: Span,
  pieces: readonly Piece[],
  closed: boolean,
  report: ReportMistake,
): ExpressionNode {
  if (!closed) return { kind: "bad_expression", ...location };
  const { language, layout } = openBlock(text, location.start + 3, location.end - 3, report);
  const read = (piece: RawText) => blockText(text, piece, layout, false, report);
  return assemble(location, "block", language, pieces, read);
}

/** `r"""…"""`. */
export function rawBlockString(
  text: string,
  location: Span,
  closed: boolean,
  report: ReportMistake,
): ExpressionNode {
  if (!closed) return { kind: "bad_expression", ...location };
  const { language, layout } = openBlock(text, location.start + 4, location.end - 3, report);
  const piece: RawText = { kind: "text", start: location.start + 4, end: location.end - 3 };
  const value = blockText(text, piece, layout, true, report);
  return { kind: "string", ...location, value, form: "raw_block", ...(language && { language }) };
}

function openBlock(
  text: string,
  opened: number,
  closed: number,
  report: ReportMistake,
): { readonly language: string | undefined; readonly layout: BlockLayout } {
  const wordEnd = match(BLOCK_LANGUAGE, text, opened);
  const isWord = wordEnd > opened && wordEnd <= closed;
  return {
    language: isWord ? text.slice(opened, wordEnd) : undefined,
    layout: blockLayout(text, isWord ? wordEnd : opened, closed, report),
  };
}

/** `re"…"` and its flags; `flags` is null when the closing quote is missing. */
export function regex(
  text: string,
  location: Span,
  flags: string | null,
  report: ReportMistake,
): RegexLiteral | ExpressionNode {
  const sourceStart = location.start + 3;
  if (flags === null) {
    report(unclosedQuote(location, 3));
    return { kind: "bad_expression", ...location };
  }
  const flagsStart = location.end - flags.length;
  for (const [index, flag] of [...flags].entries()) {
    if ("ims".includes(flag) && flags.indexOf(flag) === index) continue;
    const at = flagsStart + index;
    const message = "ims".includes(flag)
      ? `duplicate flag \`${flag}\``
      : `\`${flag}\` is not a regular expression flag`;
    report(
      createMistake("E030", at, at + 1, message, {
        help: "flags are i (ignore case), m (^ and $ match at lines), s (. matches line ends)",
      }),
    );
    break;
  }
  const source = text.slice(sourceStart, flagsStart - 1);
  return { kind: "regex", ...location, source, flags, sourceStart };
}

/** One text is a string; anything with a hole is a template. */
function assemble(
  location: Span,
  form: StringForm,
  language: string | undefined,
  pieces: readonly Piece[],
  read: (piece: RawText) => string,
): StringNode {
  const parts = pieces.map((piece): TemplateText | TemplateHole =>
    piece.kind === "hole" ? piece : { ...piece, value: read(piece) },
  );
  const shared = { ...location, form, ...(language !== undefined && { language }) };
  if (parts.some(({ kind }) => kind === "hole")) {
    return { kind: "template", parts: parts.filter(hasContent), ...shared };
  }
  const value = parts.map((part) => (part.kind === "text" ? part.value : "")).join("");
  return { kind: "string", value, ...shared };
}

function hasContent(part: TemplateText | TemplateHole): boolean {
  return part.kind === "hole" || part.value !== "";
}

function unclosedQuote({ start }: Span, opening: number): Mistake {
  return createMistake("E020", start, start + opening, "this string is not closed", {
    label: 'expected `"` on the same line',
    help: 'write text of several lines between `"""` and a closing `"""` on its own line',
  });
}
