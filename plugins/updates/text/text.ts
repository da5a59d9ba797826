/** Bytes of a repository become text and the same bytes again. */
import { UpdatesError } from "../errors.js";

/** The part `[start, end)` of a text, in UTF-16 code units. */
export interface TextRange {
  readonly start: number;
  readonly end: number;
}

/** @throws UpdatesError `manifest_unreadable` for bytes that are not UTF-8: encoding them again would change them */
export function textOf(file: string, bytes: Uint8Array): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch (cause) {
    throw new UpdatesError("manifest_unreadable", `${file} is not UTF-8, so it is not edited.`, {
      cause,
    });
  }
}

export const bytesOf = (text: string): Uint8Array => new TextEncoder().encode(text);

/** The text behind a byte order mark; offsets in it are `skipped` smaller than in the whole. */
export function withoutMark(text: string): { readonly text: string; readonly skipped: number } {
  return text.startsWith("\uFEFF") ? { text: text.slice(1), skipped: 1 } : { text, skipped: 0 };
}

/** `text` with each range replaced. Ranges do not overlap. */
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
