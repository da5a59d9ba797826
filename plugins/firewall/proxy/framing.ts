/** Where the body of a request ends. An origin must not find a second request in it. */
import type { IncomingMessage } from "node:http";
import { rawHeaderValues } from "./headers.js";

type Head = Pick<IncomingMessage, "rawHeaders" | "httpVersion">;

export function carriesBody({ rawHeaders }: Head): boolean {
  return [...rawHeaderValues(rawHeaders, "transfer-encoding"), ...lengths(rawHeaders)].some(
    (value) => value !== "0",
  );
}

/** What is wrong with the framing, as one clause. Node's parser has already refused contradictions. */
export function framingProblem(head: Head, upgrades: boolean): string | undefined {
  const codings = rawHeaderValues(head.rawHeaders, "transfer-encoding");
  if (codings.length > 1 || (codings[0] ?? "chunked").trim().toLowerCase() !== "chunked") {
    return "a transfer coding other than chunked";
  }
  if (codings.length > 0 && head.httpVersion !== "1.1")
    return "chunked transfer coding outside HTTP/1.1";
  if (codings.length > 0 && lengths(head.rawHeaders).length > 0) return "conflicting body lengths";
  // Bytes after the head belong to the other protocol.
  return upgrades && carriesBody(head) ? "an upgrade with a body" : undefined;
}

const lengths = (rawHeaders: readonly string[]) => rawHeaderValues(rawHeaders, "content-length");
