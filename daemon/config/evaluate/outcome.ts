/** The outcomes of an evaluation that are no value. */
import type { Diagnostic } from "../../../grammar/diagnostic.js";
import type { Value } from "../values/value.js";

/**
 * `broken`: somebody has complained already, everybody else stays silent. `pending`: an input is not there yet, the
 * pipeline will run again. `missing`: the complaint to make unless `??` or the like has an answer.
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
