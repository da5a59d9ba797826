/** A version of a runtime, as a file names it. */
import type { TextRange } from "../../../text/text.js";

export interface FoundVersion {
  /** The runtime, by any of its names. */
  readonly tool: string;
  /** `v22.1.0`, `python-3.12`, `lts/*`. For an image the tag, with its digest. */
  readonly value: string;
  /** Of `value`. */
  readonly range: TextRange;
  readonly section: string;
  /** The name of the image that `value` is a tag of. */
  readonly image?: string;
  /** The rest of the image's tag, where `range` has a part of it. */
  readonly affixes?: { readonly before: string; readonly after: string };
}

export const spanOf = (value: string, start: number): Pick<FoundVersion, "value" | "range"> => ({
  value,
  range: { start, end: start + value.length },
});
