/** A request in the terms of hooks files: headers, query and body as values. */
import type { FileHook, MatchOptions } from "../hook.js";
import { type BodyValues, readPayload } from "./body.js";
import { headerValues, queryValues } from "./fields.js";
import { parseJson } from "./json.js";
import { lookUp, replaceAt } from "./path.js";
import { type FieldValue, type FieldValues, isValues } from "./value.js";

/** As received. */
export interface ReceivedRequest {
  /** As sent. */
  readonly method: string;
  /** Without the question mark. */
  readonly query: string;
  /** Names and values in turn, as received. */
  readonly rawHeaders: readonly string[];
  /** `192.0.2.7:4711`; `@` on a unix socket. */
  readonly remoteAddress: string;
  readonly body: Uint8Array;
}

export interface FileRequest {
  readonly method: string;
  readonly remoteAddress: string;
  readonly headers: FieldValues;
  readonly query: FieldValues;
  /** `undefined`: not parsed. */
  readonly payload: FieldValues | undefined;
  /** The value of `raw-request-body`. */
  readonly rawText: string;
  /** For signatures. */
  readonly body: Uint8Array;
}

/** Writes one line to the log. */
export type WriteNote = (line: string) => void;

export type RequestReading =
  | { readonly ok: true; readonly request: FileRequest }
  | { readonly ok: false; readonly status: number; readonly message: string };

export function readRequest(
  hook: FileHook,
  arrived: ReceivedRequest,
  options: MatchOptions,
  note: WriteNote,
): RequestReading {
  const headers = headerValues(arrived.rawHeaders);
  const type = hook.contentType || String(headers["Content-Type"] ?? "");
  const read = readPayload(hook, type, arrived.body, options, note);
  if (!read.ok) return read;
  const request = {
    method: arrived.method,
    remoteAddress: arrived.remoteAddress,
    headers,
    query: queryValues(arrived.query),
    payload: read.payload,
    rawText: rawText(read, arrived.body, options),
    body: arrived.body,
  };
  return { ok: true, request: withParsedParameters(hook, request, note) };
}

/** The existing server does not keep a multipart body: its hooks expect an empty text. */
function rawText({ multipart }: BodyValues, body: Uint8Array, { strict }: MatchOptions): string {
  return body.length === 0 || (multipart && !strict)
    ? ""
    : Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8");
}

function withParsedParameters(hook: FileHook, request: FileRequest, note: WriteNote): FileRequest {
  let changed = request;
  for (const { source, name } of hook.parseAsJson) {
    const where = parts[source];
    if (!where) {
      note(`error parsing JSON parameters: invalid source for argument ${source}`);
      continue;
    }
    const values = changed[where] ?? {};
    const found = lookUp(name, values);
    const parsed = found.found ? objectIn(found.value) : undefined;
    if (!parsed) {
      note(`error parsing JSON parameter ${source} ${name}: it is not the text of a JSON object`);
      continue;
    }
    changed = { ...changed, [where]: replaceAt(name, values, parsed) };
  }
  return changed;
}

const parts: Readonly<Record<string, "headers" | "query" | "payload">> = Object.assign(
  Object.create(null),
  { header: "headers", url: "query", query: "query", payload: "payload" },
);

function objectIn(value: FieldValue): FieldValues | undefined {
  if (typeof value !== "string" || !/^\s*\{/.test(value)) return undefined;
  const reading = parseJson(value);
  return reading.ok && isValues(reading.value) ? reading.value : undefined;
}
