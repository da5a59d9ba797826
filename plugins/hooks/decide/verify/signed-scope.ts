/** The scope of `signed` and `timestamp` in `verify "hmac"`. */
import { isUtf8 } from "node:buffer";
import type { Evidence } from "./evidence.js";

export interface SignedScope extends Readonly<Record<string, unknown>> {
  /** Unchanged; absent if not UTF-8. */
  readonly body?: string;
  readonly header: Readonly<Record<string, string>>;
  readonly query: Readonly<Record<string, string>>;
  readonly path: Readonly<Record<string, string>>;
  readonly method: string;
}

export function signedScope({ body, headers, query, path, method }: Evidence): SignedScope {
  return {
    ...(isUtf8(body)
      ? { body: Buffer.from(body.buffer, body.byteOffset, body.byteLength).toString("utf8") }
      : {}),
    header: headers,
    query,
    path,
    method,
  };
}
