import type { Output } from "../output.js";

/** How an explanation is given. */
export interface How {
  readonly asJson: boolean;
  readonly output: Output;
}
