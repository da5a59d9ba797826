/** The results of an evaluation without a value. */
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import type { Value } from "../values/value.js";

/**
 * `broken`: an error has been reported. `pending`: an input is missing, and the pipeline will run again. `missing`:
 * the diagnostic to report unless `??` or a similar operator supplies a value.
 */
export class NoValue {
  readonly kind: "broken" | "pending" | "missing";
  readonly complaint: Diagnostic | undefined;

  constructor(kind: "broken" | "pending" | "missing", complaint?: Diagnostic) {
    this.kind = kind;
    this.complaint = complaint;
  }
}

export const BROKEN = new NoValue("broken");
export const PENDING = new NoValue("pending");
export const missing = (complaint: Diagnostic): NoValue => new NoValue("missing", complaint);

export type Evaluated = Value | NoValue;
