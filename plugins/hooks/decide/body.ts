/** Decodes a request's body: the value of `payload`, or the refusal. */
import { isUtf8 } from "node:buffer";
import { parseXml } from "../compat/request/xml.js";
import { decodeBody } from "./encoding.js";
import { readForm } from "./form.js";
import { readJson } from "./json.js";
import { type BodyFormat, formatOf, type Parse } from "./media.js";
import { readParts, type SentFile } from "./parts.js";
import { type Refusal, refuse } from "./refusal.js";

export type BodyReading =
  | {
      readonly ok: true;
      /** Absent: the body's type is not parsed. */
      readonly payload?: unknown;
      /** For a form with files. */
      readonly files?: Readonly<Record<string, SentFile>>;
      /** Absent: not UTF-8. */
      readonly text?: string;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** Bytes; the default. */
const BODY_LIMIT = 1024 * 1024;

/** `headers` by lower-case name. `limit`: bytes of a decompressed body. */
export function readBody(
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  parse: Parse,
  limit = BODY_LIMIT,
): BodyReading {
  const format = formatOf(headers, bytes, parse);
  if (typeof format !== "string") return { ok: false, refusal: format };
  const plain = decodeBody(headers["content-encoding"], bytes, limit);
  if (!(plain instanceof Uint8Array)) return { ok: false, refusal: plain };
  const text = decode(plain);
  if (format === "parts") return partsOf(headers["content-type"] ?? "", plain, text);
  if (format === "raw") return text === undefined ? { ok: true } : { ok: true, text };
  if (text === undefined) return unreadable("The body is not valid UTF-8.");
  const reading = read(format, text);
  return reading.ok ? { ok: true, payload: reading.value, text } : unreadable(reading.message);
}

function read(
  format: Exclude<BodyFormat, "raw" | "parts">,
  text: string,
): ReturnType<typeof readJson> {
  if (format === "json") return readJson(text);
  if (format === "form") return readForm(text);
  const reading = parseXml(text);
  // The parser's message starts with the position: `1:5: unclosed tag`.
  const [, line, column] = (!reading.ok && /^(\d+):(\d+):/.exec(reading.message)) || [];
  const position = line === undefined ? "" : ` at line ${line}, column ${column}`;
  return reading.ok ? reading : { ok: false, message: `The body is not valid XML${position}.` };
}

function partsOf(type: string, bytes: Uint8Array, text: string | undefined): BodyReading {
  const reading = readParts(type, bytes);
  if (!reading.ok) return unreadable(reading.message);
  const { value, files } = reading;
  return { ok: true, payload: value, files, ...(text === undefined ? {} : { text }) };
}

const unreadable = (detail: string): BodyReading => ({
  ok: false,
  refusal: refuse("bad_body", detail),
});

/** Without a byte order mark. */
function decode(bytes: Uint8Array): string | undefined {
  if (bytes.length === 0) return "";
  if (!isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

const BYTE_ORDER_MARK = 0xfeff;
