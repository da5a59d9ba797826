/** The `Host` header of a request (RFC 9112, 3.2): proxies and servers that disagree about it send requests astray. */
import type { IncomingMessage } from "node:http";
import type { RequestHandler } from "./contract.js";
import { problem, sendProblem } from "./problem.js";

/** Passes on requests with one valid host; the others get 400. Node itself answers HTTP/1.1 without any. */
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

/** A name or an address with an optional port; RFC 3986 has no other characters for it. */
const VALID = /^[A-Za-z0-9!$%&'()*+,.:;=[\]_~-]*$/;

function hasOneHost({ rawHeaders, headers }: IncomingMessage): boolean {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === "host") hosts += 1;
  }
  return hosts <= 1 && VALID.test(headers.host ?? "");
}
