/** What plugins answer in the control API, asked before any configuration runs. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../plugin-api/context.js";
import type { Reloader } from "../../reload/contract.js";
import type { RequestHandler } from "../contract.js";
import { problem, sendProblem } from "../problem.js";

/** Milliseconds that somebody waits for the start, and between two looks. */
const PATIENCE = 5000;
const LOOK = 50;

/** Nobody can say yet what a plugin has: passes the request on when the first configuration runs, or says that it does not. */
export async function deferUntilReady(
  { reloader, clock }: { readonly reloader: Pick<Reloader, "current">; readonly clock: Clock },
  request: IncomingMessage,
  response: ServerResponse,
  next: RequestHandler,
): Promise<void> {
  const end = clock.now() + PATIENCE;
  while (reloader.current === undefined && clock.now() < end) await clock.sleep(LOOK);
  if (reloader.current !== undefined) {
    next(request, response);
    return;
  }
  sendProblem(
    response,
    problem(
      "not_ready",
      "The daemon is starting: no configuration runs yet.",
      "Ask again in a moment; `reeve status` says how it is.",
    ),
  );
}
