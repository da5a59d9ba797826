import type { Output } from "../../plugin-api/output.js";

/** How an explanation is given. */
export interface ExplainOptions {
  readonly asJson: boolean;
  readonly output: Output;
}
