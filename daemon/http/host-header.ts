/** The `Host` header of a request. */
import { hasOneHost } from "../plugin-api/host-header.js";
import type { RequestHandler } from "./contract.js";
import { problem, sendProblem } from "./problem.js";

/** Passes on requests with one valid host; the others get 400. */
export const requireOneHost =
  (handler: RequestHandler): RequestHandler =>
  (request, response) => {
    if (hasOneHost(request)) {
      handler(request, response);
      return;
    }
    response.setHeader("connection", "close");
    sendProblem(response, problem("invalid_request", "The request has no single valid `Host`."));
  };
