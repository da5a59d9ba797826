/**
 * A request in a file: JSON (`{ "method", "path" or "url", "query", "headers", "body" }`), or HTTP as it is on the wire.
 */

import { isUtf8 } from "node:buffer";
import { readFile } from "node:fs/promises";
import { buffer } from "node:stream/consumers";
import { Exit, Failure, reasonOf, shownPath } from "reeve/cli";
import type { ManualRequest } from "../offline.js";

export type RequestFields = Omit<ManualRequest, "hook" | "dryRun">;

/** The bytes of a file, or of standard input for `-`. @throws Failure when it cannot be read. */
export async function readBytes(path: string): Promise<Buffer> {
  if (path === "-") return buffer(process.stdin);
  return readFile(path).catch((thrown: unknown) => {
    throw new Failure(Exit.noInput, `\`${shownPath(path)}\` cannot be read: ${reasonOf(thrown)}`, {
      cause: thrown,
    });
  });
}

/** @throws Failure when the file is neither. */
export async function readRequestFile(path: string): Promise<RequestFields> {
  const bytes = await readBytes(path);
  const name = path === "-" ? "standard input" : `\`${shownPath(path)}\``;
  return parseRequest(bytes, name);
}

export function parseRequest(bytes: Buffer, name: string): RequestFields {
  const start = bytes.subarray(0, 64).toString("latin1").trimStart();
  if (start.startsWith("{")) return fromJson(bytes, name);
  if (/^[A-Z]+ \S+ HTTP\/\d/.test(start)) return fromHttp(bytes);
  throw new Failure(Exit.noInput, `${name} is not a request`, {
    help: 'Write JSON, `{"method": "POST", "headers": {…}, "body": …}`, or raw HTTP, `POST /hooks/x HTTP/1.1` with headers and a body.',
  });
}

function fromJson(bytes: Buffer, name: string): RequestFields {
  let value: Record<string, unknown>;
  try {
    value = JSON.parse(bytes.toString("utf8")) as Record<string, unknown>;
  } catch (thrown) {
    throw new Failure(Exit.noInput, `${name} is not valid JSON: ${(thrown as Error).message}`);
  }
  const { method, headers, query, body, path, url, remote_ip: remoteIp } = value;
  const address = typeof url === "string" ? url : typeof path === "string" ? path : "";
  const written = typeof query === "string" ? query.replace(/^\?/, "") : queryOf(query);
  const given = headersIn(headers, name);
  const isText = typeof body === "string" || body === undefined;
  const isTyped = Object.keys(given).some((each) => each.toLowerCase() === "content-type");
  return {
    ...(typeof method === "string" && { method: method.toUpperCase() }),
    query: written ?? queryIn(address),
    headers: isText || isTyped ? given : { ...given, "content-type": "application/json" },
    ...(typeof remoteIp === "string" && { remoteIp }),
    ...(body === undefined ? {} : { body: isText ? String(body) : JSON.stringify(body) }),
  };
}

function headersIn(headers: unknown, name: string): Readonly<Record<string, string>> {
  if (headers === undefined) return {};
  if (typeof headers !== "object" || headers === null) {
    throw new Failure(Exit.noInput, `${name}: \`headers\` is an object of names and texts`);
  }
  return Object.fromEntries(Object.entries(headers).map(([key, value]) => [key, String(value)]));
}

function queryOf(query: unknown): string | undefined {
  if (typeof query !== "object" || query === null) return undefined;
  const pairs = Object.entries(query).map(([name, value]) => [name, String(value)]);
  return new URLSearchParams(pairs as Array<[string, string]>).toString();
}

function queryIn(address: string): string {
  const mark = address.indexOf("?");
  return mark === -1 ? "" : address.slice(mark + 1);
}

/** Lines may end as people's editors end them; what follows the empty line is the body, byte for byte. */
function fromHttp(bytes: Buffer): RequestFields {
  const text = bytes.toString("latin1");
  const gap = /\r?\n\r?\n/.exec(text);
  const head = gap ? text.slice(0, gap.index) : text;
  const body = gap ? bytes.subarray(gap.index + gap[0].length) : Buffer.alloc(0);
  const [first = "", ...lines] = head.trim().split(/\r?\n/);
  const [method = "POST", target = "/"] = first.split(" ");
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(":");
    if (colon < 1) continue;
    const name = line.slice(0, colon).trim().toLowerCase();
    const value = line.slice(colon + 1).trim();
    headers[name] = headers[name] === undefined ? value : `${headers[name]}, ${value}`;
  }
  return { method, query: queryIn(target), headers, ...bodyFields(body) };
}

export function bodyFields(bytes: Buffer): Pick<RequestFields, "body" | "base64"> {
  return isUtf8(bytes) ? { body: bytes.toString("utf8") } : { base64: bytes.toString("base64") };
}
