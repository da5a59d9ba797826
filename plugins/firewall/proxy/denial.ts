/** The response to a denied request: names the rule and how to allow the request. */
import { STATUS_CODES } from "node:http";
import type { Verdict } from "../policy/policy.js";

export interface Denial {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** The status of a refused request. */
export function refusalStatus({ retryAfterSeconds }: Verdict): 403 | 429 {
  return retryAfterSeconds === undefined ? 403 : 429;
}

/** JSON if the client accepts it, otherwise text. */
export function denial(host: string, verdict: Verdict, accept = "", status = 403): Denial {
  const json = /\bapplication\/(?:[\w.-]+\+)?json\b/i.test(accept);
  const body = json
    ? `${JSON.stringify({ error: "blocked_by_firewall", host, rule: verdict.rule, reason: verdict.reason })}\n`
    : text(host, verdict);
  return {
    status,
    headers: {
      "content-type": json ? "application/json" : "text/plain; charset=utf-8",
      "content-length": String(Buffer.byteLength(body)),
      "x-firewall-rule": verdict.rule,
      ...(verdict.retryAfterSeconds !== undefined && {
        "retry-after": String(verdict.retryAfterSeconds),
      }),
      connection: "close",
    },
    body,
  };
}

function text(host: string, { rule, reason }: Verdict): string {
  const lines = [`Blocked by the firewall: ${host} (${reason}; rule ${rule}).`];
  if (rule === "deny-default") lines.push(`To allow it: --allow-domains "${host}"`);
  return `${lines.join("\n")}\n`;
}

/** As bytes for a socket without an HTTP server. */
export function denialBytes({ status, headers, body }: Denial): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join("")}\r\n${body}`;
}

/** The alert `access_denied`, which TLS clients show as the reason of the failed handshake. */
export const accessDeniedAlert = Buffer.from([21, 3, 3, 0, 2, 2, 49]);
