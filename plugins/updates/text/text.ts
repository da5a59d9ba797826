/** Bytes to text and back without a change, and edits of ranges. */
import { UpdatesError } from "../errors.js";

/** The part `[start, end)` of a text, in UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** @throws UpdatesError `manifest_unreadable` for bytes that are not UTF-8: encoding the text would give other bytes */
export function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UpdatesError("manifest_unreadable", `${file} is not UTF-8, so it is not edited.`, {
      cause,
    });
  }
}

/** Text of a registry's response. */
export const decodeText = (bytes: Uint8Array): string => new TextDecoder().decode(bytes);

/** Order by UTF-16 code units. */
export const compareText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The text after a byte order mark; its offsets are `skipped` smaller than those of the whole. */
export function withoutMark(text: string): { readonly text: string; readonly skipped: number } {
  return text.startsWith("\uFEFF") ? { text: text.slice(1), skipped: 1 } : { text, skipped: 0 };
}

/** `text` with each range replaced. Ranges must not overlap. */
export function replaced(
  text: string,
  edits: readonly { readonly range: TextRange; readonly text: string }[],
): string {
  const parts: string[] = [];
  let end = 0;
  for (const { range, text: value } of edits.toSorted((a, b) => a.range.start - b.range.start)) {
    parts.push(text.slice(end, range.start), value);
    end = range.end;
  }
  return parts.join("") + text.slice(end);
}
