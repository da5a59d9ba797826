/** Which rule decides about a domain or URL, without a request. */
import { FirewallError } from "../errors.js";
import type { Protocol } from "./pattern-list.js";
import type { Policy, Verdict } from "./policy.js";

export interface ExplainedVerdict extends Verdict {
  readonly subject: string;
}

/** A domain gets a verdict for each protocol, a domain with a port and a URL get one. @throws {FirewallError} `invalid_subject` */
export function explainVerdicts(policy: Policy, subject: string): ExplainedVerdict[] {
  return subject.includes("://") ? [explainUrl(policy, subject)] : explainDomain(policy, subject);
}

function explainDomain(policy: Policy, domain: string): ExplainedVerdict[] {
  const [, host, port] = /^(?:[\w.-]+@)?([^:]+|\[.+\]):(\d{1,5})$/.exec(domain) ?? [];
  if (host !== undefined && !["80", "443"].includes(port ?? "")) {
    const { protocol, ...verdict } = policy.decidePort(host, Number(port));
    return [{ subject: `${domain} over ${protocol}`, ...verdict }];
  }
  const decide = (protocol: Protocol): ExplainedVerdict => ({
    subject: `${domain} over ${protocol}`,
    ...policy.decide({ host: domain, port: protocol === "https" ? 443 : 80, protocol }),
  });
  return [decide("https"), decide("http")];
}

function explainUrl(policy: Policy, text: string): ExplainedVerdict {
  const [, method = "GET", address = ""] = /^(?:([A-Z]+) +)?(.*)$/s.exec(text) ?? [];
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (!url || (url.protocol !== "http:" && url.protocol !== "https:")) {
    throw new FirewallError(
      "invalid_subject",
      `Nothing to explain: ${text} is neither a domain nor an http or https URL`,
    );
  }
  const protocol = url.protocol === "https:" ? "https" : "http";
  const port = url.port === "" ? (protocol === "https" ? 443 : 80) : Number(url.port);
  const named = policy.decide({ host: url.hostname, port, protocol });
  const isVisible = named.allowed && policy.urls.length > 0;
  return { subject: text, ...(isVisible ? policy.decideUrl(url, method) : named) };
}
