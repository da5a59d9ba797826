/** What a denied program gets to read: one short answer that names the rule and the way to allow it. */
import type { Verdict } from "../policy/policy.js";

export interface Denial {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** JSON for whoever asks for it, text for everybody else. */
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

/** The same as bytes, for a socket that no HTTP server writes to. */
export function denialBytes({ status, headers, body }: Denial, reasonPhrase: string): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${reasonPhrase}\r\n${lines.join("")}\r\n${body}`;
}

/** A TLS client is told `access_denied`, which it shows as the reason of its failed handshake. */
export const accessDeniedAlert = Buffer.from([21, 3, 3, 0, 2, 2, 49]);
