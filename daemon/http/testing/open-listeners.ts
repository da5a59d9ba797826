import type { ExecutionContext } from "ava";
import type { Listeners, RequestHandler } from "../contract.js";
import { createListeners } from "../listeners/listeners.js";
import { KeptLog } from "./kept-log.js";

/** Without inherited sockets; closed at once when the test ends. */
export async function openListeners(t: ExecutionContext, log = new KeptLog()): Promise<Listeners> {
  const listeners = await createListeners({ log, environment: {} });
  t.teardown(() => listeners.close(AbortSignal.abort()));
  return listeners;
}

/** Answers with the text and the URL of the request. */
export const says =
  (text: string): RequestHandler =>
  (request, response) => {
    request.resume();
    response.end(`${text} ${request.url}`);
  };
