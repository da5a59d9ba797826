/** Selects the body's format by the headers alone. */
import { type Refusal, refuse } from "./refusal.js";

export type Parse = "auto" | "json" | "form" | "xml" | "none";
/** `parts`: multipart/form-data. */
export type BodyFormat = "json" | "form" | "xml" | "parts" | "raw";

const ACCEPTED =
  "application/json, application/x-www-form-urlencoded, multipart/form-data, application/xml, text/plain";

/** `headers` by lower-case name. */
export function formatOf(
  headers: Readonly<Record<string, string>>,
  bytes: Uint8Array,
  parse: Parse,
): BodyFormat | Refusal {
  if (parse !== "auto") return parse === "none" ? "raw" : parse;
  const written = headers["content-type"] ?? "";
  if (written === "") return "raw";
  // The most frequent form.
  if (written === "application/json") return "json";
  const [type = ""] = written.split(";", 1);
  const format = formatOfType(type.trim().toLowerCase());
  if (format === undefined || (format === "parts" && bytes.length === 0)) {
    if (bytes.length === 0) return "raw";
    return refuse(
      "unsupported_media_type",
      `Bodies of type ${shown(type)} are not accepted; send JSON, a form, XML or plain text.`,
      { headers: { accept: ACCEPTED } },
    );
  }
  if (format !== "raw" && !saysUtf8(written)) {
    return refuse("unsupported_media_type", "Only bodies in UTF-8 are accepted.");
  }
  return format;
}

/** By the type without its parameters. */
function formatOfType(type: string): BodyFormat | undefined {
  if (type === "application/json" || /^[\w.+-]+\/[\w.-]+\+json$/.test(type)) return "json";
  if (type === "application/x-www-form-urlencoded") return "form";
  if (type === "multipart/form-data") return "parts";
  if (/^(application|text)\/xml$|^[\w.+-]+\/[\w.-]+\+xml$/.test(type)) return "xml";
  if (type === "" || type === "application/octet-stream") return "raw";
  return type.startsWith("text/") ? "raw" : undefined;
}

function saysUtf8(contentType: string): boolean {
  const [, charset = "utf-8"] = /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType) ?? [];
  return /^(utf-?8|us-ascii)$/i.test(charset);
}

const shown = (type: string): string =>
  /^[\w.+/-]{1,80}$/.test(type.trim()) ? type.trim() : "that kind";
