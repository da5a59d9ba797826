/** Checks the entries of a `sandbox` block and words issues in terms of its attributes. */
import { FirewallError } from "../errors.js";
import { networkInput, type SandboxAttributes } from "../sandbox/spec.js";
import { readUpstream } from "../sandbox/upstream.js";
import { type SandboxField, type SandboxIssue, validateNetwork } from "../sandbox/validate.js";

export const attributeOf: Readonly<Record<SandboxField, string>> = {
  allow: "allow",
  profiles: "profiles",
  block: "block",
  urls: "allow_urls",
  noBump: "no_bump",
  credentials: "credential",
  limits: "limit",
  mounts: "mount",
  hostPorts: "host_access",
  dns: "dns",
  allowWrite: "allow_write",
  allowSockets: "allow_socket",
};

type Report = (path: ReadonlyArray<string | number>, message: string) => void;

/** The part of a block's values that a check needs; the proxy's URL may be a secret. */
type CheckedValues = Pick<
  SandboxAttributes,
  "allow" | "profiles" | "block" | "allow_urls" | "ssl_bump" | "no_bump" | "host_access" | "dns"
>;
type CheckedBlock = CheckedValues & { readonly upstream_proxy?: unknown };

/** Checks the values alone, without reading this machine's state. */
export function checkSandbox(
  { upstream_proxy: proxy, ...values }: CheckedBlock,
  report: Report,
): void {
  const { learn: _, ...checked }: SandboxAttributes = values;
  const rules = networkInput(checked);
  for (const issue of validateNetwork(rules).issues ?? []) {
    const { field, index } = issue;
    report([attributeOf[field], ...(index === undefined ? [] : [index])], issueMessage(issue));
  }
  const problem = typeof proxy === "string" ? upstreamProblem(proxy) : undefined;
  if (problem !== undefined) report(["upstream_proxy"], problem);
}

function upstreamProblem(url: string): string | undefined {
  try {
    readUpstream(url, {});
    return undefined;
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    return `\`upstream_proxy\` ${thrown.message}.`;
  }
}

/** An issue as one sentence. */
export function issueMessage({ code, message, detail }: SandboxIssue): string {
  const text = wordings[code]?.(message, detail) ?? message.split("\n")[0] ?? "";
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

type Wording = (message: string, detail: string | undefined) => string;

const wordings: Readonly<Record<string, Wording>> = {
  domain_with_path: (message, detail) =>
    `${message}; to filter by path use \`allow_urls\` "https://${detail}"`,
  invalid_dns_server: (_, detail) => `\`${detail}\` is not an IP address`,
  no_such_path: (message) => `The ${message}`,
  no_socket: (message) => `The ${message}`,
};
