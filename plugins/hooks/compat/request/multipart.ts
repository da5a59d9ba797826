/** Parses `multipart/form-data` in memory, without temporary files. */

export interface FormPart {
  readonly name: string;
  /** Of a file; `undefined` for a value. */
  readonly fileName: string | undefined;
  /** As sent; empty if absent. */
  readonly type: string;
  readonly content: Uint8Array;
}

const MAX_PARTS = 1000;

/** A text: why it cannot be parsed, in the words of Go. Lines may end with LF alone. */
export function parseMultipart(
  contentType: string,
  body: Uint8Array,
): readonly FormPart[] | string {
  const boundary = /;\s*boundary=(?:"([^"]{1,70})"|([^\s;"]{1,70}))/i.exec(contentType);
  const delimiter = boundary?.[1] ?? boundary?.[2];
  if (delimiter === undefined) {
    return /;[^=]*(?:;|$)/.test(contentType)
      ? "request Content-Type isn't multipart/form-data"
      : "no multipart boundary param in Content-Type";
  }
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  const mark = Buffer.from(`--${delimiter}`);
  const parts: FormPart[] = [];
  let start = nextMark(bytes, mark, 0);
  while (start !== undefined) {
    const after = bytes.subarray(start.end, start.end + 2).toString("latin1");
    if (after === "--") return parts;
    if (parts.length === MAX_PARTS) return "multipart: message too large";
    const end = nextMark(bytes, mark, start.end);
    const part = partOf(bytes.subarray(start.end, end?.start));
    if (typeof part === "string") return part;
    if (!end) return "unexpected EOF";
    if (part.name !== "") parts.push(part);
    start = end;
  }
  return "multipart: NextPart: EOF";
}

/** A delimiter starts a line and includes its line break. */
function nextMark(
  bytes: Buffer,
  mark: Buffer,
  from: number,
): { readonly start: number; readonly end: number } | undefined {
  for (let at = bytes.indexOf(mark, from); at !== -1; at = bytes.indexOf(mark, at + 1)) {
    if (at > 0 && bytes[at - 1] !== LF) continue;
    const next = bytes[at + mark.length];
    if (next !== CR && next !== LF && next !== DASH && next !== undefined) continue;
    const breaks = at === 0 ? 0 : bytes[at - 2] === CR ? 2 : 1;
    return { start: Math.max(from, at - breaks), end: at + mark.length };
  }
  return undefined;
}

const LF = 0x0a;
const CR = 0x0d;
const DASH = 0x2d;

function partOf(bytes: Buffer): FormPart | string {
  const text = bytes.toString("latin1");
  const head = /^\r?\n((?:[^\r\n]+\r?\n)*)\r?\n/.exec(text);
  if (!head) return "multipart: NextPart: EOF";
  const headers = new Map<string, string>();
  for (const line of (head[1] ?? "").split(/\r?\n/)) {
    const colon = line.indexOf(":");
    if (line !== "" && colon < 1) return `malformed MIME header line: ${line}`;
    const value = Buffer.from(line.slice(colon + 1).trim(), "latin1").toString("utf8");
    headers.set(line.slice(0, Math.max(0, colon)).trim().toLowerCase(), value);
  }
  const disposition = headers.get("content-disposition") ?? "";
  const formData = /^form-data\s*(;|$)/i.test(disposition);
  return {
    name: formData ? (parameter(disposition, "name") ?? "") : "",
    fileName: parameter(disposition, "filename"),
    type: headers.get("content-type") ?? "",
    content: bytes.subarray(head[0].length),
  };
}

function parameter(header: string, name: string): string | undefined {
  const found = new RegExp(`;\\s*${name}=(?:"((?:[^"\\\\]|\\\\.)*)"|([^\\s;"]*))`, "i").exec(
    header,
  );
  if (!found) return undefined;
  return found[1] === undefined ? found[2] : found[1].replace(/\\(["\\])/g, "$1");
}
