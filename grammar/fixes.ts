import type { SpanEdit } from "./mistakes/mistake.js";

/**
 * The text with edits applied. The edits of one fix belong together: where one of them overlaps an edit before it, or is
 * not within the text, the whole fix is left out, and a later run can apply it. Insertions at one place keep their order.
 */
export function applyFixes(text: string, fixes: ReadonlyArray<readonly SpanEdit[]>): string {
  const taken: SpanEdit[] = [];
  for (const edits of fixes) {
    const fits = edits.every(
      (edit, index) =>
        edit.start >= 0 &&
        edit.start <= edit.end &&
        edit.end <= text.length &&
        ![...taken, ...edits.slice(0, index)].some((other) => overlap(edit, other)),
    );
    if (fits) taken.push(...edits);
  }
  let result = "";
  let done = 0;
  for (const { start, end, text: replacement } of taken.sort(
    (a, b) => a.start - b.start || a.end - b.end,
  )) {
    result += text.slice(done, start) + replacement;
    done = end;
  }
  return result + text.slice(done);
}

/** Two insertions at the same place do not overlap; an insertion at the edge of a replacement neither. */
function overlap(a: SpanEdit, b: SpanEdit): boolean {
  return a.start < b.end && b.start < a.end;
}
