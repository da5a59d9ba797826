/** What the running daemon would change if it read its configuration now. */
import type { PlanResult } from "../../daemon/http/control/api.js";
import { connect } from "./client.js";

/**
 * `control` is the socket's path, if it was named.
 * @throws Refusal where the configuration is invalid, Failure where no daemon answers.
 */
export const planWithDaemon = (control: string | undefined): Promise<PlanResult> =>
  connect({ control }).plan();
