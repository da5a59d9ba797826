/** Checks what a user wrote for a sandbox. Front ends word the issues: as flags of `awf`, or as attributes of a block. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { normalize, resolve } from "node:path";
import type { Volume } from "../engine/file-system-view.js";
import { FirewallError } from "../errors.js";
import { type DomainPattern, parseDomainPattern } from "../policy/pattern.js";
import { PatternList } from "../policy/pattern-list.js";
import { Policy } from "../policy/policy.js";
import { findProfile, profiles } from "../policy/profiles.js";
import { parseUrlPattern } from "../policy/url-pattern.js";
import { parseCredential } from "./credentials.js";
import { withTarget } from "./denied.js";
import {
  defaultHostPorts,
  developmentPorts,
  mostHostPorts,
  parseHostPorts,
  tooManyHostPorts,
} from "./host-ports.js";
import {
  hostAlias,
  type NetworkInput,
  type NetworkSpec,
  type SandboxInput,
  type SandboxSpec,
  type VolumeInput,
} from "./spec.js";

export type SandboxField =
  | "allow"
  | "profiles"
  | "block"
  | "urls"
  | "noBump"
  | "credentials"
  | "limits"
  | "mounts"
  | "hostPorts"
  | "dns"
  | "allowWrite"
  | "allowSockets";

export interface SandboxIssue<Field extends string = SandboxField> {
  readonly field: Field;
  /** Which entry of a list. */
  readonly index: number | undefined;
  readonly code: string;
  /** Names no flag and no attribute. */
  readonly message: string;
  readonly detail: string | undefined;
}

export type Validated<Spec> =
  | { readonly spec: Spec; readonly issues?: undefined }
  | { readonly spec?: undefined; readonly issues: readonly SandboxIssue[] };

/** Turns the errors of parsers into issues. */
export class IssueList<Field extends string> {
  readonly all: Array<SandboxIssue<Field>> = [];

  /** The parsed value; undefined where `parse` throws a `FirewallError`, which becomes an issue. */
  attempt<T>(field: Field, parse: () => T, index?: number): T | undefined {
    try {
      return parse();
    } catch (thrown) {
      if (!(thrown instanceof FirewallError)) throw thrown;
      const { code, message, detail } = thrown;
      this.all.push({ field, index, code, message, detail });
      return undefined;
    }
  }

  /** The values of the entries that can be parsed and are not skipped. */
  each<T, V>(field: Field, entries: readonly T[], parse: (entry: T) => V | undefined): V[] {
    return entries.flatMap((entry, index) => {
      const value = this.attempt(field, () => parse(entry), index);
      return value === undefined ? [] : [value];
    });
  }
}

/** Checks the rules alone, without a look at this machine. */
export function validateNetwork(input: NetworkInput): Validated<NetworkSpec> {
  const issues = new IssueList<SandboxField>();
  const spec = networkSpec(input, issues);
  return issues.all.length > 0 ? { issues: issues.all } : { spec };
}

export function validate(input: SandboxInput): Validated<SandboxSpec> {
  const issues = new IssueList<SandboxField>();
  const { allowWrite, timeoutMs, memoryBytes, processes } = input;
  const network = networkSpec(input, issues);
  const spec: SandboxSpec = {
    ...network,
    intercept: input.intercept,
    credentials: issues.each("credentials", input.credentials ?? [], (credential) =>
      parseCredential(credential, network),
    ),
    limits: issues.each("limits", input.limits ?? [], ({ domain, ...limit }) => {
      return domain === "*" ? limit : { ...limit, pattern: parseDomainPattern(domain, "block") };
    }),
    denySecrets: input.denySecrets === true,
    volumes: issues.each("mounts", input.mounts, parseVolume),
    allowSockets: issues.each("allowSockets", input.allowSockets ?? [], socketPath),
    homePaths: profiles
      .filter(({ name }) => input.profiles?.includes(name))
      .flatMap(({ paths }) => paths),
    denyRead: deniedPath(input.denyRead),
    denyWrite: deniedPath(input.denyWrite),
    ...(allowWrite && { allowWrite: issues.each("allowWrite", allowWrite, writablePath) }),
    ...(timeoutMs !== undefined && { timeoutMs }),
    ...(memoryBytes !== undefined && { memoryBytes }),
    ...(processes !== undefined && { processes }),
  };
  return issues.all.length > 0 ? { issues: issues.all } : { spec };
}

/** Entries of profiles come last, so that the others keep their indexes. */
function networkSpec(written: NetworkInput, issues: IssueList<SandboxField>): NetworkSpec {
  const chosen = issues.each("profiles", written.profiles ?? [], findProfile);
  const input = {
    ...written,
    allow: [...written.allow, ...chosen.flatMap((each) => each.domains)],
  };
  const keyword = input.allow.find((entry) => /^(https?:\/\/)?localhost$/.test(entry.trim()));
  const services = input.allow.filter((entry) => hostService.test(entry.trim()));
  const allow = parseDomains("allow", input.allow, issues, [keyword ?? "", ...services]);
  // The host's alias takes the keyword's prefix and the last position.
  if (keyword !== undefined) {
    allow.push(parseDomainPattern(keyword.trim().replace("localhost", hostAlias)));
  }
  const block = parseDomains("block", input.block, issues);
  const urls = issues.attempt("urls", () => interceptedUrls(input)) ?? [];
  const policy = new Policy(
    allow,
    block,
    issues.each("urls", urls, (entry) => parseUrlPattern(entry.trim())),
    { learning: input.learn },
  );
  issues.attempt("allow", () => refusePorts(policy));
  const noBump = new PatternList(parseDomains("noBump", input.noBump ?? [], issues), true);
  for (const [index, { text, host }] of policy.urls.entries()) {
    if (!noBump.findName(host)) continue;
    const message = `URL pattern "${text}" needs decrypted HTTPS, which the list excludes for ${host}`;
    issues.all.push({
      field: "urls",
      index,
      code: "url_not_decrypted",
      message,
      detail: undefined,
    });
  }
  const localhost = keyword !== undefined;
  const hostPorts = issues.attempt("hostPorts", () => parseHostAccess(input, localhost, issues));
  const dns = issues.attempt("dns", () => parseNameServers(input.dns, issues)) ?? defaultDns;
  return { policy, dns, ...(hostPorts && { hostPorts }), localhost, noBump };
}

/** Each port is a listening socket of its own. */
const mostPorts = 256;

/** @throws {FirewallError} `invalid_domain` */
function refusePorts({ ports }: Policy): void {
  if (ports.size <= mostPorts) return;
  throw new FirewallError("invalid_domain", `The list has more than ${mostPorts} different ports`);
}

/** A port of this machine, which may be a dangerous one, since the user names it. */
const hostService = /^localhost:\d+$/;

/** Each entry once, without `others`. */
function parseDomains(
  list: "allow" | "block" | "noBump",
  entries: readonly string[],
  issues: IssueList<SandboxField>,
  others: readonly string[] = [],
): DomainPattern[] {
  const seen = new Set(others.map((entry) => entry.trim()).filter((text) => text !== ""));
  return issues.each(list, entries, (entry) => {
    const text = entry.trim();
    if (seen.has(text)) return undefined;
    seen.add(text);
    return parseDomainPattern(text, list === "allow" ? list : "block");
  });
}

function interceptedUrls({ urls, intercept }: NetworkInput): readonly string[] {
  if (!urls || intercept) return urls ?? [];
  throw new FirewallError("urls_need_interception", "URLs can be filtered in decrypted HTTPS only");
}

function parseHostAccess(
  input: NetworkInput,
  localhost: boolean,
  issues: IssueList<SandboxField>,
): readonly number[] | undefined {
  const { hostAccess, hostPorts, servicePorts } = input;
  const isOpen = hostAccess || localhost;
  const named = input.allow.map((entry) => entry.trim()).filter((text) => hostService.test(text));
  const written = [servicePorts ?? [], named.map((text) => text.slice("localhost:".length))];
  const services = written.flat(2).flatMap((text) => parseHostPorts(text, true));
  if (hostPorts === undefined) {
    const usual = [...defaultHostPorts, ...(localhost ? developmentPorts : [])];
    const ports = [...(isOpen ? usual : []), ...services];
    return ports.length > 0 ? ports : undefined;
  }
  if (!isOpen) throw new FirewallError("host_ports_alone", "Host ports need host access");
  const entries = hostPorts.length > 0 ? hostPorts : [""];
  const parsed = issues.each("hostPorts", entries, (entry) => parseHostPorts(entry));
  const ports = new Set([...parsed.flat(), ...services]);
  if (ports.size > mostHostPorts) throw tooManyHostPorts(entries.join(","));
  return [...ports].sort((one, other) => one - other);
}

const defaultDns: NetworkSpec["dns"] = { servers: ["8.8.8.8", "8.8.4.4"], chosen: false };

function parseNameServers(
  written: readonly string[] | undefined,
  issues: IssueList<SandboxField>,
): NetworkSpec["dns"] {
  if (written === undefined) return defaultDns;
  if (written.length === 0) {
    throw new FirewallError("no_dns_servers", "At least one DNS server must be specified");
  }
  const servers = issues.each("dns", written, (server) => {
    if (isIP(server) !== 0) return server;
    const message = `Invalid DNS server IP address: ${server}`;
    throw new FirewallError("invalid_dns_server", message, server);
  });
  return { servers: [...new Set(servers)], chosen: true };
}

/** @throws {FirewallError} `invalid_mount` */
function parseVolume({ source, target, mode }: VolumeInput): Volume {
  const written = [source, target, mode].filter((part) => part !== undefined).join(":");
  const reason = volumeProblem(source, target, mode ?? "rw");
  if (reason !== undefined) throw new FirewallError("invalid_mount", reason, written);
  return {
    host: realpathSync(source),
    sandbox: withoutSlash(normalize(target)),
    mode: mode === "ro" ? "ro" : "rw",
  };
}

function volumeProblem(source: string, target: string, mode: string): string | undefined {
  if (source === "") return "Host path cannot be empty";
  if (target === "") return "Container path cannot be empty";
  if (!source.startsWith("/")) return "Host path must be absolute (start with /)";
  if (!target.startsWith("/")) return "Container path must be absolute (start with /)";
  if (mode !== "ro" && mode !== "rw") return 'Mount mode must be either "ro" or "rw"';
  if (!existsSync(source)) return `Host path does not exist: ${source}`;
  if (["/", "/proc", "/dev", "/sys"].includes(withoutSlash(normalize(target)) || "/")) {
    return `Container path ${target} belongs to the sandbox itself`;
  }
  return undefined;
}

function withoutSlash(path: string): string {
  return path.replace(/\/+$/, "");
}

/** It may appear later. @throws {FirewallError} `no_socket` */
function socketPath(path: string): string {
  const absolute = resolve(path);
  const found = statSync(absolute, { throwIfNoEntry: false });
  if (!found) return absolute;
  if (found.isSocket() || found.isFIFO()) return realpathSync(absolute);
  throw new FirewallError("no_socket", `path is neither a socket nor a pipe: ${absolute}`);
}

const deniedPath = (paths: readonly string[] = []): string[] => [
  ...new Set(paths.map((path) => resolve(path)).flatMap(withTarget)),
];

function writablePath(path: string): string {
  const absolute = resolve(path);
  if (existsSync(absolute)) return realpathSync(absolute);
  throw new FirewallError("no_such_path", `path does not exist: ${absolute}; make it first`);
}
