/** A request in the terms of hooks files: headers, query and body as values. */
import type { FileHook, MatchOptions } from "../hook.js";
import { type BodyValues, readPayload } from "./body.js";
import { canonicalName, headerValues, queryValues } from "./fields.js";
import type { FileRequest, ReceivedRequest, WriteNote } from "./file-request.js";
import { isList, parseJson } from "./json.js";
import { jsonFault } from "./json-fault.js";
import { replaceAt } from "./path.js";
import { missingArgument, retrieve, shownReference } from "./retrieve.js";
import type { FieldValues } from "./value.js";

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
  for (const reference of hook.parseAsJson) {
    const { source, name } = reference;
    const value = retrieve(reference, changed);
    const parsed = value.ok ? objectIn(value.text) : missingArgument(reference);
    const where = parts[source];
    if (typeof parsed === "string") note(`error parsing JSON parameters: ${parsed}`);
    else if (!where) {
      note(
        `error parsing JSON parameters: invalid source for argument ${shownReference(reference)}`,
      );
    } else if (parsed) {
      const path = where === "headers" ? canonicalName(name) : name;
      changed = { ...changed, [where]: replaceAt(path, changed[where] ?? {}, parsed) };
    }
  }
  return changed;
}

const parts: Readonly<Record<string, "headers" | "query" | "payload">> = Object.assign(
  Object.create(null),
  { header: "headers", url: "query", query: "query", payload: "payload" },
);

/** Text after the object is ignored. `undefined`: `null`, which changes nothing. A text: what is wrong. */
function objectIn(text: string): FieldValues | string | undefined {
  const reading = parseJson(text, true);
  if (reading.ok && !isList(text)) return reading.value;
  return jsonFault(text) ?? (reading.ok || text.trim() === "null" ? undefined : reading.message);
}
