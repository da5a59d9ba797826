/** YAML with source ranges. */
import {
  type Document,
  isScalar,
  LineCounter,
  parseAllDocuments,
  parseDocument,
  Scalar,
} from "yaml";
import { UpdatesError } from "../errors.js";
import { type TextRange, withoutMark } from "./text.js";

/** @throws UpdatesError `manifest_unreadable` */
export function readYaml(file: string, whole: string): Document.Parsed {
  const lineCounter = new LineCounter();
  const document = parseDocument(withoutMark(whole).text, { lineCounter });
  refuseErrors(file, document);
  return document;
}

/** Several documents in one file. @throws UpdatesError `manifest_unreadable` */
export function readYamlStream(file: string, whole: string): readonly Document.Parsed[] {
  const documents = parseAllDocuments(withoutMark(whole).text);
  if (!Array.isArray(documents)) return [];
  for (const document of documents) refuseErrors(file, document);
  return documents as readonly Document.Parsed[];
}

function refuseErrors(file: string, { errors }: Document.Parsed): void {
  const [error] = errors;
  if (!error) return;
  const line = error.linePos?.[0].line;
  const [what] = error.message.split(/ at line |\n/);
  throw new UpdatesError(
    "manifest_unreadable",
    `${file}${line === undefined ? "" : `:${line}`} is not YAML: ${what}.`,
    { cause: error },
  );
}

/** A string on one line and its range without quotes; undefined for one that cannot be replaced in place. */
export function scalarText(
  node: unknown,
  whole: string,
): { readonly value: string; readonly range: TextRange; readonly plain: boolean } | undefined {
  if (!isScalar(node) || !node.range) return undefined;
  const { skipped } = withoutMark(whole);
  const [start, end] = node.range;
  const quoted = node.type === Scalar.QUOTE_DOUBLE || node.type === Scalar.QUOTE_SINGLE;
  if (!quoted && node.type !== Scalar.PLAIN) return undefined;
  const range = quoted
    ? { start: start + 1 + skipped, end: end - 1 + skipped }
    : { start: start + skipped, end: end + skipped };
  const value = whole.slice(range.start, range.end);
  const meant = typeof node.value === "string" ? node.value : node.source;
  // With an escape or a fold, source and value differ.
  return value === meant ? { value, range, plain: !quoted } : undefined;
}

/** `value` as a scalar: plain, or quoted where a plain one would have another meaning. */
export const plainScalar = (value: string): string =>
  /^[\w.^~=/@+-][^#:]*$/.test(value) && !/^[@=-]/.test(value) && value.trim() === value
    ? value
    : JSON.stringify(value);
