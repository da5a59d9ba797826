/** What to say after a run in which something was denied. */
import type { Policy } from "../policy/policy.js";
import type { Messages } from "./messages.js";
import type { RequestTally } from "./request-tally.js";

const mostShown = 20;

/** The whole block after a failed command, one line after one that succeeded. */
export function diagnose(
  messages: Messages,
  tally: RequestTally,
  policy: Policy,
  exitCode: number,
): void {
  const { denied } = tally;
  if (denied.length === 0) return;
  if (exitCode === 0) {
    const [first] = denied;
    const more = denied.length > 1 ? ` and ${denied.length - 1} more` : "";
    messages.warn(
      `Firewall blocked ${tally.denials} request${tally.denials === 1 ? "" : "s"}: ${first?.host}${more} (the command succeeded)`,
    );
    return;
  }
  messages.warn("Firewall blocked domains:");
  for (const { host, port, rule, reason } of denied.slice(0, mostShown)) {
    const target = port === undefined ? host : `${host}:${port}`;
    messages.warn(
      `  - Blocked: ${target} (${rule === "deny-default" ? "domain not in allowlist" : reason})`,
    );
  }
  if (denied.length > mostShown) messages.warn(`  - and ${denied.length - mostShown} more`);
  messages.warn("Allowed domains:");
  for (const { text } of policy.allow.patterns) messages.warn(`  - Allowed: ${text}`);
  const missing = denied.filter(({ rule }) => rule === "deny-default").map(({ host }) => host);
  if (missing.length > 0) {
    const wanted = new Set([...policy.allow.patterns.map(({ text }) => text), ...missing]);
    messages.warn(`To fix domain issues: --allow-domains "${[...wanted].join(",")}"`);
  }
  if (denied.some(({ rule }) => rule.endsWith("unsafe-ports"))) {
    messages.warn("To fix port issues: Use standard ports 80 (HTTP) or 443 (HTTPS)");
  }
}
