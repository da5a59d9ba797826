/** `--explain DOMAIN|URL`: which rule would decide, without running anything. */

import { FirewallError } from "../errors.js";
import type { Protocol } from "../policy/pattern-list.js";
import type { Policy, Verdict } from "../policy/policy.js";

export interface ExplainedVerdict extends Verdict {
  readonly subject: string;
}

/** The text for stdout. @throws {FirewallError} `invalid_subject` */
export function explainText(policy: Policy, subject: string, json: boolean): string {
  const explained = decisionsOn(policy, subject);
  if (json) return `${JSON.stringify({ subject, decisions: explained }, undefined, 2)}\n`;
  return explained.map(verdictLine).join("");
}

/** What would be decided: for a domain over each protocol, for a URL as it stands. @throws {FirewallError} `invalid_subject` */
export function decisionsOn(policy: Policy, subject: string): ExplainedVerdict[] {
  return subject.includes("://") ? explainUrl(policy, subject) : explainDomain(policy, subject);
}

function explainDomain(policy: Policy, domain: string): ExplainedVerdict[] {
  const decide = (protocol: Protocol): ExplainedVerdict => ({
    subject: `${domain} over ${protocol}`,
    ...policy.decide({ host: domain, port: protocol === "https" ? 443 : 80, protocol }),
  });
  return [decide("https"), decide("http")];
}

function explainUrl(policy: Policy, text: string): ExplainedVerdict[] {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new FirewallError(
      "invalid_subject",
      `Nothing to explain: ${text} is neither a domain nor an http or https URL`,
    );
  }
  const protocol = url.protocol === "https:" ? "https" : "http";
  const port = url.port === "" ? (protocol === "https" ? 443 : 80) : Number(url.port);
  const named = policy.decide({ host: url.hostname, port, protocol });
  return [
    { subject: text, ...(named.allowed && policy.urls.length > 0 ? policy.decideUrl(url) : named) },
  ];
}

function verdictLine({ subject, allowed, rule, pattern, reason }: ExplainedVerdict): string {
  const by = pattern === undefined ? `rule ${rule}` : `entry '${pattern}', rule ${rule}`;
  return allowed ? `${subject}: allowed (${by})\n` : `${subject}: denied, ${reason} (${by})\n`;
}
