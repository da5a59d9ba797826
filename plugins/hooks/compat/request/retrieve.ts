/** Retrieves the value of a reference. */
import { goQuoted } from "../go-text.js";
import type { ParameterReference } from "../hook.js";
import { canonicalName } from "./fields.js";
import type { FileRequest } from "./file-request.js";
import { lookUp } from "./path.js";
import { compactJson, type FieldValue, type FieldValues, textOf } from "./value.js";

/** Why there is no value or decision. */
export interface RetrieveProblem {
  /** `nothing`: the path leads into `null`. */
  readonly kind: "missing" | "nothing" | "signature" | "other";
  readonly message: string;
}

/** As the existing server writes it. */
export const shownReference = ({ source, name, variable, base64 }: ParameterReference): string =>
  `{Source:${source} Name:${name} EnvName:${variable} Base64Decode:${base64}}`;

export const missingArgument = (reference: ParameterReference): string =>
  `couldn't retrieve argument for ${shownReference(reference)}`;

export type Retrieved =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly problem: RetrieveProblem };

/** The valid sources of values. */
export const sources: readonly string[] = [
  "header",
  "url",
  "query",
  "payload",
  "raw-request-body",
  "request",
  "string",
  "entire-payload",
  "entire-query",
  "entire-headers",
];

export function retrieve(reference: ParameterReference, request: FileRequest): Retrieved {
  const { source, name } = reference;
  switch (source) {
    case "header":
      return at(canonicalName(name), request.headers);
    case "url":
    case "query":
      return at(name, request.query);
    case "payload":
      return at(name, request.payload ?? {});
    case "raw-request-body":
      return { ok: true, text: request.rawText };
    case "request":
      return ofRequest(name, request);
    case "string":
      return { ok: true, text: name };
    case "entire-payload":
      return whole(request.payload ?? null);
    case "entire-query":
      return whole(request.query);
    case "entire-headers":
      return whole(request.headers);
    default:
      return problem("other", "no source for value retrieval");
  }
}

const problem = (kind: RetrieveProblem["kind"], message: string): Retrieved => ({
  ok: false,
  problem: { kind, message },
});
const whole = (value: FieldValue): Retrieved => ({ ok: true, text: compactJson(value) });

function at(path: string, values: FieldValues): Retrieved {
  const lookup = lookUp(path, values);
  if (lookup.found) return { ok: true, text: textOf(lookup.value) };
  return lookup.nothing
    ? problem("nothing", "no parameters")
    : problem("missing", `parameter node not found: ${lookup.rest}`);
}

function ofRequest(name: string, { method, remoteAddress }: FileRequest): Retrieved {
  const lower = name.toLowerCase();
  if (lower === "method") return { ok: true, text: method };
  if (lower === "remote-addr") return { ok: true, text: remoteAddress };
  return problem("other", `unsupported request key: ${goQuoted(name)}`);
}
