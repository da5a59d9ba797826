/** Selects a parser for a body and runs it. */

import { goQuoted } from "../go-text.js";
import type { FileHook, MatchOptions } from "../hook.js";
import { formValues } from "./fields.js";
import { isList, parseJson } from "./json.js";
import { jsonFault } from "./json-fault.js";
import { type FormPart, parseMultipart } from "./multipart.js";
import type { FieldValue, FieldValues } from "./value.js";
import { parseXml } from "./xml.js";

export interface BodyValues {
  readonly ok: true;
  /** `undefined`: not parsed. */
  readonly payload: FieldValues | undefined;
  readonly multipart: boolean;
}
type BodyReading =
  | BodyValues
  | { readonly ok: false; readonly status: number; readonly message: string };

type Format = "json" | "form" | "xml" | "multipart";

export function readPayload(
  hook: FileHook,
  type: string,
  body: Uint8Array,
  { strict }: MatchOptions,
  note: (line: string) => void,
): BodyReading {
  const format = strict ? formatOf(type) : formatWithin(type);
  if (format === undefined) {
    note(`error parsing body payload due to unsupported content type header: ${type}`);
    return unparsed;
  }
  if (format === "multipart") return multipart(hook, type, body, strict, note);
  const text = Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
  if (strict && text === "") return unparsed;
  const reading = parse(format, text, !strict);
  if (reading.ok) return { ok: true, payload: reading.value, multipart: false };
  const what = format === "json" && isList(text) ? "JSON array payload" : PAYLOADS[format];
  // `null` is no fault to the existing server.
  if (!strict && format === "json" && /^\s*null/.test(text)) return unparsed;
  note(`error parsing ${what} ${reading.message}`);
  return strict
    ? {
        ok: false,
        status: 400,
        message: "The body cannot be read: it is not what its content type says.",
      }
    : unparsed;
}

const PAYLOADS = { json: "JSON payload", form: "form payload", xml: "XML payload:" } as const;

const unparsed: BodyValues = { ok: true, payload: undefined, multipart: false };

function parse(format: "json" | "form" | "xml", text: string, loose: boolean) {
  if (format === "json") return parseJson(text, loose);
  if (format === "xml") return parseXml(text, loose);
  return formValues(text);
}

/** The existing server searches the whole header for words, in this order: `boundary=json` means JSON. */
function formatWithin(type: string): Format | undefined {
  if (type.includes("json")) return "json";
  if (type.includes("x-www-form-urlencoded")) return "form";
  if (type.includes("xml")) return "xml";
  return type.startsWith("multipart/form-data;") ? "multipart" : undefined;
}

/** By the media type alone. */
function formatOf(type: string): Format | undefined {
  const media = (type.split(";", 1)[0] ?? "").trim().toLowerCase();
  if (/^[\w.-]+\/(?:[\w.+-]+\+)?json$/.test(media)) return "json";
  if (media === "application/x-www-form-urlencoded") return "form";
  if (/^[\w.-]+\/(?:[\w.+-]+\+)?xml$/.test(media)) return "xml";
  return media === "multipart/form-data" ? "multipart" : undefined;
}

function multipart(
  hook: FileHook,
  type: string,
  body: Uint8Array,
  strict: boolean,
  note: (line: string) => void,
): BodyReading {
  const parts = parseMultipart(type, body);
  if (typeof parts === "string") {
    note(`error parsing multipart form: ${parts}\n`);
    return {
      ok: false,
      status: strict ? 400 : 500,
      message: "Error occurred while parsing multipart form.",
    };
  }
  const payload: Record<string, FieldValue> = Object.create(null);
  const seen = new Set<string>();
  for (const part of parts) {
    if (part.fileName !== undefined || part.name in payload) continue;
    note(`found multipart form value ${goQuoted(part.name)}`);
    payload[part.name] = textOf(part);
  }
  for (const part of parts) {
    if (part.fileName === undefined || seen.has(part.name)) continue;
    seen.add(part.name);
    const value = fileValue(hook, part, note);
    if (value !== undefined) payload[part.name] = value;
  }
  const isEmpty = Object.keys(payload).length === 0;
  return { ok: true, payload: isEmpty ? undefined : payload, multipart: true };
}

const textOf = ({ content }: FormPart): string => Buffer.from(content).toString("utf8");

/** Only files that are JSON, or configured as JSON, count. */
function fileValue(
  hook: FileHook,
  part: FormPart,
  note: (line: string) => void,
): FieldValues | undefined {
  const isJsonField = hook.parseAsJson.some(
    ({ source, name }) => source === "payload" && name === part.name,
  );
  if (part.type !== "application/json" && !isJsonField) return undefined;
  note(`parsing multipart form file ${goQuoted(part.name)} as JSON`);
  const text = textOf(part);
  const reading = parseJson(text, true);
  if (reading.ok && !isList(text)) return reading.value;
  note(`error parsing JSON payload file: ${reading.ok ? jsonFault(text) : reading.message}`);
  return undefined;
}
