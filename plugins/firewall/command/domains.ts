/** The lists of domains and URLs, from options and files, checked; with the keyword `localhost` taken out. */
import { existsSync, readFileSync } from "node:fs";
import { FirewallError } from "../errors.js";
import { splitFile, splitList } from "../policy/lists.js";
import { type DomainPattern, parseDomainPattern } from "../policy/pattern.js";
import { parseUrlPattern, type UrlPattern } from "../policy/url-pattern.js";
import type { WrittenOptions } from "./options.js";

/** How a sandbox names the machine it runs on. */
export const hostAlias = "host.docker.internal";

export interface DomainLists {
  readonly allow: readonly DomainPattern[];
  readonly block: readonly DomainPattern[];
  readonly urls: readonly UrlPattern[];
  /** The keyword was there: host access is wanted. */
  readonly localhost: boolean;
}

/** @throws {FirewallError} for the first entry or file that is not right. */
export function readDomainLists(options: WrittenOptions): DomainLists {
  const written = unique([
    ...splitList(options.allowDomains ?? ""),
    ...fromFile(options.allowDomainsFile, "domains"),
  ]);
  const { entries, localhost } = withoutLocalhost(written);
  const allow = entries.map((entry) => parseEntry(entry, "allow", "Invalid domain or pattern"));
  const block = unique([
    ...splitList(options.blockDomains ?? ""),
    ...fromFile(options.blockDomainsFile, "blocked domains"),
  ]).map((entry) => parseEntry(entry, "block", "Invalid blocked domain or pattern"));
  return { allow, block, localhost, urls: readUrls(options) };
}

function readUrls({ allowUrls, sslBump }: WrittenOptions): UrlPattern[] {
  if (allowUrls === undefined) return [];
  if (!sslBump) {
    throw new FirewallError(
      "urls_need_interception",
      "--allow-urls requires --ssl-bump to be enabled",
    );
  }
  return splitList(allowUrls).map(parseUrlPattern);
}

/** The first `localhost` stands for the host's alias, which goes to the end and keeps the prefix. */
function withoutLocalhost(entries: readonly string[]): { entries: string[]; localhost: boolean } {
  const index = entries.findIndex((entry) => /^(https?:\/\/)?localhost$/.test(entry));
  const found = entries[index];
  if (found === undefined) return { entries: [...entries], localhost: false };
  const alias = found.replace("localhost", hostAlias);
  return { entries: [...entries.filter((_, at) => at !== index), alias], localhost: true };
}

function parseEntry(entry: string, list: "allow" | "block", complaint: string): DomainPattern {
  try {
    return parseDomainPattern(entry, list);
  } catch (thrown) {
    if (thrown instanceof FirewallError) {
      throw new FirewallError(thrown.code, `${complaint}: ${thrown.message}`);
    }
    throw thrown;
  }
}

function fromFile(path: string | undefined, what: string): string[] {
  if (path === undefined) return [];
  if (!existsSync(path)) {
    throw new FirewallError(
      "no_domains_file",
      `Failed to read ${what} file: Domains file not found: ${path}`,
    );
  }
  try {
    return splitFile(readFileSync(path, "utf8"));
  } catch (thrown) {
    const reason = thrown instanceof Error ? thrown.message : String(thrown);
    throw new FirewallError("no_domains_file", `Failed to read ${what} file: ${reason}`);
  }
}

function unique(entries: readonly string[]): string[] {
  return [...new Set(entries)];
}
