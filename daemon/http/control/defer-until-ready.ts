/** What plugins answer in the control API, asked before any configuration runs. */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Clock } from "../../plugin-api/context.js";
import type { Reloader } from "../../reload/contract.js";
import { steady } from "../../services/clock.js";
import type { RequestHandler } from "../contract.js";
import { problem, sendProblem } from "../problem.js";

/** Milliseconds that a request waits for the start, and between two checks. */
const PATIENCE = 5000;
const LOOK = 50;

/** Plugins have no data yet: passes the request on when the first configuration runs, or responds that it does not. */
export async function deferUntilReady(
  {
    reloader,
    clock: wall,
  }: { readonly reloader: Pick<Reloader, "current">; readonly clock: Clock },
  request: IncomingMessage,
  response: ServerResponse,
  next: RequestHandler,
): Promise<void> {
  const clock = steady(wall);
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
