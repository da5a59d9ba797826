/** Nodes for strings and regular expressions, from the pieces the grammar has cut out. */
import { type Complaint, complaint, type Report } from "../mistakes/complaint.js";
import type {
  Expression,
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
  place: Span,
  pieces: readonly Piece[],
  closed: boolean,
  report: Report,
): StringNode {
  if (!closed) report(unclosedQuote(place, 1));
  const decode = ({ start, end }: RawText) => decodeEscapes(text.slice(start, end), start, report);
  return assemble(place, "quoted", undefined, pieces, decode);
}

/** `r"…"`, without its closing quote when it is missing. */
export function rawString(text: string, place: Span, closed: boolean, report: Report): StringNode {
  if (!closed) report(unclosedQuote(place, 2));
  const value = text.slice(place.start + 2, closed ? place.end - 1 : place.end);
  return { kind: "string", ...place, value, form: "raw" };
}

/** `"""…"""`. The opening quotes are followed by an optional word for highlighting. */
export function blockString(
  text: string,
  place: Span,
  pieces: readonly Piece[],
  closed: boolean,
  report: Report,
): Expression {
  if (!closed) return { kind: "bad_expression", ...place };
  const { language, layout } = openBlock(text, place.start + 3, place.end - 3, report);
  const read = (piece: RawText) => blockText(text, piece, layout, false, report);
  return assemble(place, "block", language, pieces, read);
}

/** `r"""…"""`. */
export function rawBlockString(
  text: string,
  place: Span,
  closed: boolean,
  report: Report,
): Expression {
  if (!closed) return { kind: "bad_expression", ...place };
  const { language, layout } = openBlock(text, place.start + 4, place.end - 3, report);
  const piece: RawText = { kind: "text", start: place.start + 4, end: place.end - 3 };
  const value = blockText(text, piece, layout, true, report);
  return { kind: "string", ...place, value, form: "raw_block", ...(language && { language }) };
}

function openBlock(
  text: string,
  opened: number,
  closed: number,
  report: Report,
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
  place: Span,
  flags: string | null,
  report: Report,
): RegexLiteral | Expression {
  const sourceStart = place.start + 3;
  if (flags === null) {
    report(unclosedQuote(place, 3));
    return { kind: "bad_expression", ...place };
  }
  const flagsStart = place.end - flags.length;
  for (const [index, flag] of [...flags].entries()) {
    if ("ims".includes(flag) && flags.indexOf(flag) === index) continue;
    const at = flagsStart + index;
    const message = "ims".includes(flag)
      ? `the flag \`${flag}\` is given twice`
      : `\`${flag}\` is no flag of a regular expression`;
    report(
      complaint("E030", at, at + 1, message, {
        help: "flags are i (ignore case), m (^ and $ match at lines), s (. matches line ends)",
      }),
    );
    break;
  }
  const source = text.slice(sourceStart, flagsStart - 1);
  return { kind: "regex", ...place, source, flags, sourceStart };
}

/** One text is a string; anything with a hole is a template. */
function assemble(
  place: Span,
  form: StringForm,
  language: string | undefined,
  pieces: readonly Piece[],
  read: (piece: RawText) => string,
): StringNode {
  const parts = pieces.map((piece): TemplateText | TemplateHole =>
    piece.kind === "hole" ? piece : { ...piece, value: read(piece) },
  );
  const shared = { ...place, form, ...(language !== undefined && { language }) };
  if (parts.some(({ kind }) => kind === "hole")) {
    return { kind: "template", parts: parts.filter(hasContent), ...shared };
  }
  const value = parts.map((part) => (part.kind === "text" ? part.value : "")).join("");
  return { kind: "string", value, ...shared };
}

function hasContent(part: TemplateText | TemplateHole): boolean {
  return part.kind === "hole" || part.value !== "";
}

function unclosedQuote({ start }: Span, opening: number): Complaint {
  return complaint("E020", start, start + opening, "this string is not closed", {
    label: 'expected `"` on the same line',
    help: 'text of several lines stands between `"""` and a closing `"""` on its own line',
  });
}
