/** What a request's body says: the value that `payload` stands for, or why it cannot be read. */
import { isUtf8 } from "node:buffer";
import { readForm } from "./form.js";
import { readJson } from "./json.js";
import { type Refusal, refuse } from "./refusal.js";

export type Parse = "auto" | "json" | "form" | "none";
type Format = "json" | "form" | "raw";

export type BodyReading =
  | {
      readonly ok: true;
      /** Absent: the body is not of a type that says anything. */
      readonly payload?: unknown;
      /** Absent: it is not UTF-8. */
      readonly text?: string;
    }
  | { readonly ok: false; readonly refusal: Refusal };

/** `headers` by lower-case name. */
export function readBody(
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  parse: Parse,
): BodyReading {
  const format = formatOf(headers, bytes, parse);
  if (typeof format !== "string") return { ok: false, refusal: format };
  const text = decode(bytes);
  if (format === "raw") return text === undefined ? { ok: true } : { ok: true, text };
  if (text === undefined) return unreadable("The body is not valid UTF-8.");
  const reading = format === "json" ? readJson(text) : readForm(text);
  return reading.ok ? { ok: true, payload: reading.value, text } : unreadable(reading.message);
}

const unreadable = (detail: string): BodyReading => ({
  ok: false,
  refusal: refuse("bad_body", detail),
});

/** Whether the request can be read at all, judged by its headers alone. */
export function mediaRefusal(
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  parse: Parse,
): Refusal | undefined {
  const format = formatOf(headers, bytes, parse);
  return typeof format === "string" ? undefined : format;
}

function formatOf(
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  parse: Parse,
): Format | Refusal {
  const encoding = headers["content-encoding"]?.trim().toLowerCase() ?? "identity";
  if (encoding !== "identity" && encoding !== "") {
    return refuse("unsupported_media_type", "Compressed bodies are not accepted.", {
      headers: { "accept-encoding": "identity" },
    });
  }
  if (parse !== "auto") return parse === "none" ? "raw" : parse;
  const written = headers["content-type"] ?? "";
  const [type = ""] = written.split(";", 1);
  const format = formatOfType(type.trim().toLowerCase());
  if (format === undefined) {
    if (bytes.length === 0) return "raw";
    return refuse(
      "unsupported_media_type",
      `Bodies of type ${shown(type)} are not accepted; send application/json, application/x-www-form-urlencoded or plain text.`,
      { headers: { accept: "application/json, application/x-www-form-urlencoded, text/plain" } },
    );
  }
  if (format !== "raw" && !saysUtf8(written)) {
    return refuse("unsupported_media_type", "Only bodies in UTF-8 are accepted.");
  }
  return format;
}

/** By the type alone: a parameter such as `boundary=json` says nothing. */
function formatOfType(type: string): Format | undefined {
  if (type === "application/json" || /^[\w.+-]+\/[\w.-]+\+json$/.test(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "" || type === "application/octet-stream") return "raw";
  return type.startsWith("text/") && type !== "text/xml" ? "raw" : undefined;
}

function saysUtf8(contentType: string): boolean {
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType) ?? [];
  return /^(utf-?8|us-ascii)$/i.test(charset);
}

const shown = (type: string): string =>
  /^[\w.+/-]{1,80}$/.test(type.trim()) ? type.trim() : "that kind";

/** Without the byte order mark that some editors leave. */
function decode(bytes: Uint8Array): string | undefined {
  if (!isUtf8(bytes)) return undefined;
  const text = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("utf8");
  return text.charCodeAt(0) === BYTE_ORDER_MARK ? text.slice(1) : text;
}

const BYTE_ORDER_MARK = 0xfeff;
