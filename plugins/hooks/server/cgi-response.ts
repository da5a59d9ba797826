/** Parses the response that a command prints, like a CGI program (RFC 3875, section 6): head, empty line, body. Pure. */
import { badHeader } from "../blocks/header-names.js";

export interface CgiResponse {
  readonly status: number | undefined;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: Uint8Array;
}

/** Bytes. */
const LONGEST_HEAD = 32 * 1024;

/** A string is the reason why it is invalid. */
export function readCgiResponse(output: Uint8Array): CgiResponse | string {
  const start = Buffer.from(output.buffer, output.byteOffset, output.byteLength);
  const head = start.toString("latin1", 0, LONGEST_HEAD);
  const end = /(?:^|\r?\n)\r?\n/.exec(head);
  if (!end) return "there is no empty line after its headers";
  const headers: Record<string, string> = Object.create(null);
  let status: number | undefined;
  for (const line of head.slice(0, end.index).split(/\r?\n/)) {
    if (line === "") continue;
    const [, name, value] = /^([^:\s]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (name === undefined || value === undefined) return "a line of its head is not a header";
    if (name.toLowerCase() === "status") {
      const [, code] = /^([2-5]\d\d)(?: .*)?$/.exec(value) ?? [];
      if (code === undefined) return "its status is not in 200 to 599";
      status = Number(code);
      continue;
    }
    if (badHeader(name) !== undefined) return "one of its headers cannot be set";
    if (!/^[\t\x20-\x7e\x80-\xff]*$/.test(value)) return "a header has invalid characters";
    headers[name.toLowerCase()] = value;
  }
  return { status, headers, body: start.subarray(end.index + end[0].length) };
}
