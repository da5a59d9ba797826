/** Requests as the hooks see them, written briefly. */
import { createHmac } from "node:crypto";
import type { Incoming } from "../decide/incoming.js";

export interface Sent extends Partial<Omit<Incoming, "body">> {
  readonly json?: unknown;
  readonly body?: string | Uint8Array;
}

export function request({ json, body, headers, ...rest }: Sent): Incoming {
  const text = json === undefined ? (body ?? "") : JSON.stringify(json);
  return {
    method: "POST",
    query: "",
    remoteIp: "192.0.2.7",
    now: Date.UTC(2026, 0, 2),
    body: typeof text === "string" ? Buffer.from(text) : text,
    ...rest,
    headers: {
      ...(json === undefined ? {} : { "content-type": "application/json" }),
      ...headers,
    },
  };
}

/** As GitHub signs, with the secret of `hookOf`. */
export const sign = (body: string | Uint8Array) =>
  `sha256=${createHmac("sha256", "hunter22").update(body).digest("hex")}`;
export const VERIFY = 'verify "hmac" { header = "X-Hub-Signature-256"; secret = secret("env:S") }';
export const push = {
  ref: "refs/heads/main",
  after: "abc",
  commits: [{ id: "c1" }],
  n: 3,
  nothing: null,
};
