import type { Mistake } from "./mistake.js";

/** A complaint, and where to go on reading: at or behind the place where it was found. */
export interface RecoveryPoint {
  readonly complaint: Mistake;
  readonly resume: number;
  /** What was read before stays good. */
  readonly harmless?: true | undefined;
}
