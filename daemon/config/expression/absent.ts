/** The outcomes of a run-time expression that are no value. */
import type { Range } from "../../plugin-api/values.js";

/** `missing`: the request does not have it. `failed`: it cannot be computed. */
export class Absent {
  readonly kind: "missing" | "failed";
  /** For `missing` the name as written: `payload.ref`. For `failed` a sentence without full stop. */
  readonly message: string;
  readonly range: Range;

  constructor(kind: "missing" | "failed", message: string, range: Range) {
    this.kind = kind;
    this.message = message;
    this.range = range;
  }
}
