/** Whether a block lets a domain or a URL through: for `test` blocks, so without a daemon and without the network. */

import { readDomainLists } from "../command/domains.js";
import { decisionsOn } from "../command/explain.js";
import { optionsFrom } from "../command/merge-options.js";
import { Policy } from "../policy/policy.js";

interface Lists {
  readonly allow: readonly string[];
  readonly block: readonly string[];
  readonly allow_urls: readonly string[];
  readonly ssl_bump: boolean;
  readonly learn: boolean;
}

/** A domain counts as let through where it can be reached over https or over http. */
export function sandboxAllows(values: Lists, subject: string): boolean {
  const { allow, block, allow_urls, ssl_bump, learn } = values;
  const lists = readDomainLists(optionsFrom({ allow, block, allow_urls, ssl_bump }));
  const policy = new Policy(lists.allow, lists.block, lists.urls, { learning: learn });
  return decisionsOn(policy, subject).some(({ allowed }) => allowed);
}
