/** The data of a run as the JSON that is stored, without secrets. */
import type { Mask } from "../mask.js";
import { encode, masked } from "../store/json.js";

/** Bytes. */
const largestDetail = 64 * 1024;
const largestRequest = 256 * 1024;
const largestResume = 16 * 1024 * 1024;

/** Each throws for what is too long or is not JSON data. */
export class RunTexts {
  readonly #mask: Mask;

  constructor(mask: Mask) {
    this.#mask = mask;
  }

  detail(detail: unknown): string {
    const what = "The detail of a run";
    const text = encode(detail, what, largestDetail);
    // What has no secret as a whole has none in any of its parts, and most have none.
    if (this.#isClean(text)) return text;
    return encode(detail, what, largestDetail, (part) => this.#mask.text(part));
  }

  /** `undefined` where a secret stands in it: that must not lie on the disk, and without it the run would be another. */
  resume(resume: unknown): string | undefined {
    const text = encode(resume, "What it takes to resume a run", largestResume);
    return this.#isClean(text) ? text : undefined;
  }

  request(request: unknown): string {
    const what = "The request of a run";
    const text = encode(request, what, largestRequest);
    if (this.#isClean(text)) return text;
    return encode(
      masked(request, (part) => this.#mask.text(part)),
      what,
      largestRequest,
    );
  }

  #isClean(text: string): boolean {
    return this.#mask.text(text) === text;
  }
}
