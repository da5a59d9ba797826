/** Whether a block allows a domain or URL, for `test` blocks: without a daemon and without the network. */
import { FirewallError } from "../errors.js";
import { explainVerdicts } from "../policy/explain.js";
import { networkInput, type SandboxAttributes } from "../sandbox/spec.js";
import { validateNetwork } from "../sandbox/validate.js";
import { issueMessage } from "./check.js";

type Rules = Required<
  Pick<SandboxAttributes, "allow" | "profiles" | "block" | "allow_urls" | "ssl_bump" | "learn">
>;

/** A domain is allowed if it can be reached over https or http. */
export function sandboxAllows(
  { allow, profiles, block, allow_urls, ssl_bump, learn }: Rules,
  subject: string,
): boolean {
  const rules = networkInput({ allow, profiles, block, allow_urls, ssl_bump, learn });
  const { spec, issues } = validateNetwork(rules);
  if (issues) {
    const [first] = issues;
    throw new FirewallError(first?.code ?? "", first ? issueMessage(first) : "");
  }
  return explainVerdicts(spec.policy, subject).some(({ allowed }) => allowed);
}
