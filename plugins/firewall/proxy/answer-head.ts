/** The head of an origin's answer, read strictly and put into the words of a connection that ends with it. Pure. */
import { rawHeaderValues, withoutHopByHop } from "./headers.js";

export type AnswerHead =
  /** More has to come before it can be read. */
  | { readonly kind: "partial" }
  | { readonly kind: "malformed" }
  | {
      readonly kind: "head";
      readonly status: number;
      /** As it is passed on. */
      readonly text: string;
      /** Bytes that it takes as it came. */
      readonly length: number;
      /** Bytes of the body; undefined: up to the end of the connection. */
      readonly bodyLength: number | undefined;
    };

const longest = 64 * 1024;
const statusLine = /^HTTP\/1\.[01] ([1-9]\d\d)(?: ([\t\x20-\x7e\x80-\xff]*))?$/;
const field = /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*([\t\x20-\x7e\x80-\xff]*)$/;
const malformed: AnswerHead = { kind: "malformed" };

/** Reads the head at the beginning of these bytes, the answer to a request of this method. */
export function readAnswerHead(bytes: Buffer, method: string): AnswerHead {
  const end = bytes.indexOf("\r\n\r\n");
  if (end < 0 && bytes.length <= longest) return { kind: "partial" };
  if (end < 0 || end > longest) return malformed;
  const [first = "", ...lines] = bytes
    .toString("latin1", 0, end)
    // A value may go on in the next line.
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
  // Nobody asked for another protocol.
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
