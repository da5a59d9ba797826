/** The messages at the end of a run. */
import type { Policy } from "../policy/policy.js";
import type { Messages } from "./messages.js";
import type { Preserved } from "./preserve-logs.js";
import type { RequestTally } from "./request-tally.js";
import type { AwfSettings } from "./settings.js";
import { smallestAllowList } from "./smallest-allow-list.js";

export interface RunReport {
  readonly messages: Messages;
  readonly settings: AwfSettings;
  readonly tally: RequestTally;
  readonly exitCode: number;
  readonly logs: Preserved | undefined;
  readonly workDirectory: string;
}

export function report({
  messages,
  settings,
  tally,
  exitCode,
  logs,
  workDirectory,
}: RunReport): void {
  const { options } = settings;
  const { policy } = settings.spec;
  if (options.json) {
    messages.object({
      event: "finished",
      exitCode,
      allowed: [...tally.allowed.keys()],
      denied: tally.denied,
      ...(policy.learning ? { learned: smallestAllowList(tally.allowed) } : {}),
      ...(logs ? { logs: logs.directory } : {}),
    });
    return;
  }
  if (exitCode === 0) messages.success("Command completed successfully");
  else messages.warn(`Command completed with exit code: ${exitCode}`);
  diagnose(messages, tally, policy, exitCode);
  if (policy.learning) messages.plain(learnedText(smallestAllowList(tally.allowed)));
  if (options.keepContainers) messages.info(`Configuration files preserved at: ${workDirectory}`);
  if (logs)
    messages.info(`Squid logs ${logs.moved ? "preserved" : "available"} at: ${logs.directory}`);
}

const mostShown = 20;

/** The whole diagnosis after a failed command, one line after a successful one. */
function diagnose(messages: Messages, tally: RequestTally, policy: Policy, exitCode: number): void {
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
    const needed = new Set([...policy.allow.patterns.map(({ text }) => text), ...missing]);
    messages.warn(`To fix domain issues: --allow-domains "${[...needed].join(",")}"`);
  }
  const ports = denied.filter(({ rule }) => rule.endsWith("unsafe-ports") || rule === "deny-port");
  if (ports.length > 0) {
    const entries = new Set(ports.map(({ host, port }) => `${host}:${port}`));
    messages.warn(
      `To fix port issues: Use standard ports 80 (HTTP) or 443 (HTTPS), or --allow-domains "${[...entries].join(",")}"`,
    );
  }
}

/** The list as a flag and as a block of the configuration. */
function learnedText(entries: readonly string[]): string {
  if (entries.length === 0) return "The command reached no domain; it needs no --allow-domains.";
  const block = [
    'sandbox "learned" {',
    "  allow = [",
    ...entries.map((entry) => `    ${JSON.stringify(entry)},`),
    "  ]",
    "}",
  ];
  return [
    `To allow what the command reached: --allow-domains "${entries.join(",")}"`,
    "",
    ...block,
  ].join("\n");
}
