/**
 * Parses the request head that nearly every program sends: GET, HEAD or CONNECT, complete, without a body and without
 * a change of protocol. Strict: Node's parser handles everything else.
 */

export interface PlainHead {
  readonly method: "GET" | "HEAD" | "CONNECT";
  readonly url: string;
  readonly httpVersion: "1.1";
  /** Name, value, name, value, as sent. */
  readonly rawHeaders: string[];
  readonly headers: { readonly "user-agent"?: string; readonly accept?: string };
  /** Bytes of the head, with its empty line. */
  readonly length: number;
}

const longest = 16 * 1024;
const mostFields = 100;
const requestLine = /^(GET|HEAD|CONNECT) ([\x21-\x7e]+) HTTP\/1\.1$/;
const field =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[\t ]*((?:[\x21-\x7e](?:[\t\x20-\x7e]*[\x21-\x7e])?)?)[\t ]*$/;
/** Headers for a body, for another protocol, or that need an intermediate response. */
const notPlain = new Set(["content-length", "transfer-encoding", "upgrade", "expect"]);

/** Parses the head at the start of these bytes; undefined if it is not plain or not complete. */
export function readPlainHead(bytes: Buffer): PlainHead | undefined {
  const text = bytes.toString("latin1", 0, longest);
  const end = text.indexOf("\r\n\r\n");
  if (end < 0) return undefined;
  const [first = "", ...lines] = text.slice(0, end).split("\r\n");
  const [, method, url] = requestLine.exec(first) ?? [];
  if (method === undefined || url === undefined || lines.length > mostFields) return undefined;
  const rawHeaders: string[] = [];
  const headers: { "user-agent"?: string; accept?: string } = {};
  let named = false;
  for (const line of lines) {
    const [, name, value] = field.exec(line) ?? [];
    if (name === undefined || value === undefined) return undefined;
    rawHeaders.push(name, value);
    const known = name.toLowerCase();
    if (notPlain.has(known)) return undefined;
    if (known === "host") named = true;
    else if (known === "user-agent") headers["user-agent"] ??= value;
    else if (known === "accept") headers.accept ??= value;
  }
  if (!named) return undefined;
  return {
    method: method as PlainHead["method"],
    url,
    httpVersion: "1.1",
    rawHeaders,
    headers,
    length: end + 4,
  };
}
