/** Parses the head of an origin's response strictly and rewrites it for a connection that closes afterwards. Pure. */
import { rawHeaderValues, withoutHopByHop } from "./headers.js";

export type AnswerHead =
  /** More bytes are needed. */
  | { readonly kind: "partial" }
  | { readonly kind: "malformed" }
  | {
      readonly kind: "head";
      readonly status: number;
      /** The head to send to the client. */
      readonly text: string;
      /** Bytes of the head as received. */
      readonly length: number;
      /** Bytes of the body; undefined: until the connection closes. */
      readonly bodyLength: number | undefined;
    };

const longest = 64 * 1024;
const statusLine = /^HTTP\/1\.[01] ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const malformed: AnswerHead = { kind: "malformed" };

/** Parses the head of the response to a request with this method. */
export function readAnswerHead(bytes: Buffer, method: string): AnswerHead {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0 && bytes.length <= longest) return { kind: "partial" };
  if (end < 0 || end > longest) return malformed;
  const [first = "", ...lines] = bytes
    .toString("latin1", 0, end)
    // An obsolete folded value continues on the next line.
    .replace(/\r\n[\t ]+/g, " ")
    .split("\r\n");
  const [, digits, phrase = ""] = statusLine.exec(first) ?? [];
  if (digits === undefined) return malformed;
  const status = Number(digits);
  const raw: string[] = [];
  for (const line of lines) {
    const [, name, value] = field.exec(line) ?? [];
    if (name === undefined || value === undefined) return malformed;
    raw.push(name, value);
  }
  // No request here asks for another protocol.
  if (status === 101) return malformed;
  const bodyLength = bodyLengthOf(raw, status, method);
  if (bodyLength === "malformed") return malformed;
  const kept = withoutHopByHop(raw);
  let text = `HTTP/1.1 ${status} ${phrase}\r\n`;
  for (let index = 0; index < kept.length; index += 2) {
    text += `${kept[index]}: ${kept[index + 1]}\r\n`;
  }
  text += status < 200 ? "\r\n" : "Connection: close\r\n\r\n";
  return { kind: "head", status, text, length: end + 4, bodyLength };
}

function bodyLengthOf(
  raw: readonly string[],
  status: number,
  method: string,
): number | undefined | "malformed" {
  const coded = rawHeaderValues(raw, "transfer-encoding").length > 0;
  const [length, ...others] = rawHeaderValues(raw, "content-length").map((value) => value.trim());
  const odd =
    length !== undefined &&
    (!/^\d{1,15}$/.test(length) || others.some((other) => other !== length));
  if (odd || (coded && length !== undefined)) return "malformed";
  if (method === "HEAD" || status < 200 || status === 204 || status === 304) return 0;
  return coded || length === undefined ? undefined : Number(length);
}
