/** From flags, and the `sandbox` block of a file, to what a run needs. Checks everything before the run starts. */
import { accessSync, constants, existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { FirewallError } from "../errors.js";
import { splitFile, splitList } from "../policy/lists.js";
import {
  type CredentialInput,
  type LimitInput,
  type SandboxAttributes,
  type SandboxInput,
  type SandboxSpec,
  sandboxInput,
  type VolumeInput,
} from "../sandbox/spec.js";
import { IssueList, type SandboxField, type SandboxIssue, validate } from "../sandbox/validate.js";
import { readCount, readDuration, readLimit, readSize } from "./flag-values.js";
import { chooseEngine, type EngineName } from "./images.js";
import { type LogLevel, logLevels } from "./messages.js";
import type { WrittenOptions } from "./options.js";
import type { ProposedText } from "./proposed-text.js";

export interface AwfSettings {
  readonly options: WrittenOptions;
  readonly spec: SandboxSpec;
  readonly engine: EngineName;
  readonly logLevel: LogLevel;
  /** Where the command starts; absent: the home directory. */
  readonly directory: string | undefined;
  readonly upstreamProxy: string | undefined;
  /** The values of the file's credentials, by name. */
  readonly credentials: ReadonlyMap<string, string>;
  /** The variables of the sandbox file. */
  readonly environment: Readonly<Record<string, string>>;
  /** The files that the settings come from. */
  readonly files: readonly string[];
}

/** A sandbox block, and the files that it was read from. */
export interface SandboxFile {
  readonly name: string;
  readonly attributes: SandboxAttributes;
  readonly files: readonly string[];
}

/** Reads the named `sandbox` block of a file, or its only one. @throws {FirewallError} if it cannot */
export type ReadSandboxFile = (path: string, name: string | undefined) => Promise<SandboxFile>;

/**
 * Adds entries to the `allow` list of a block, in the file that has it. Writes nothing.
 * @param entriesFor what to add, given the block's attributes
 * @throws {FirewallError} if it cannot
 */
export type EditSandbox = (
  path: string,
  name: string | undefined,
  entriesFor: (attributes: SandboxAttributes) => readonly string[],
) => Promise<ProposedText>;

/** Sandboxes in files, which another part of the program reads. */
export interface SandboxFiles {
  readonly read: ReadSandboxFile;
  readonly edit: EditSandbox;
}

type FlagField = SandboxField | "logs" | "timeout" | "memory" | "pids";

/** The first of several issues in this order is the one that `awf` reports. */
const order: readonly FlagField[] = [
  ...([
    "allow",
    "profiles",
    "block",
    "urls",
    "noBump",
    "credentials",
    "limits",
    "mounts",
    "hostPorts",
  ] as const),
  ...(["logs", "dns", "allowWrite", "allowSockets", "timeout", "memory", "pids"] as const),
];

/**
 * Lists of the file and of the flags are joined; of single values the flag's counts.
 * @throws {FirewallError} for the first issue
 */
export function readSettings(
  written: WrittenOptions,
  { attributes: file, files }: Omit<SandboxFile, "name"> = { attributes: {}, files: [] },
): AwfSettings {
  const options = withoutAliases(written);
  const logLevel = readLogLevel(options.logLevel);
  const engine = chooseEngine(options);
  const own = new IssueList<FlagField>();
  const { spec, issues = [] } = validate(readInput(options, sandboxInput(file), own));
  own.attempt("logs", () => refuseUnwritable(options.proxyLogsDir));
  const [first] = [...own.all, ...issues].sort((one, other) => rank(one) - rank(other));
  if (first) throw new FirewallError(first.code, flagMessage(first));
  return {
    options,
    spec: spec as SandboxSpec,
    engine,
    logLevel,
    directory: options.containerWorkdir ?? file.cwd,
    upstreamProxy: options.upstreamProxy ?? file.upstream_proxy,
    credentials: new Map(
      file.credential?.map(({ name, value = "" }) => [name, value] as const) ?? [],
    ),
    environment: file.env ?? {},
    files: [
      ...[...files, options.allowDomainsFile, options.blockDomainsFile, ...(options.envFile ?? [])],
    ].flatMap((path) => (path === undefined ? [] : resolve(path))),
  };
}

/** Options of the existing tool in their own form. */
function withoutAliases(options: WrittenOptions): WrittenOptions {
  const { memoryLimit, pidsLimit, agentTimeout, ...rest } = options;
  return {
    ...(memoryLimit !== undefined && { memory: memoryLimit }),
    ...(pidsLimit !== undefined && { pids: pidsLimit }),
    ...(agentTimeout !== undefined && { timeout: `${agentTimeout}m` }),
    ...rest,
  };
}

/** @throws {FirewallError} `invalid_log_level` */
function readLogLevel(written = "info"): LogLevel {
  const level = logLevels.find((known) => known === written);
  if (!level) throw new FirewallError("invalid_log_level", `Invalid log level: ${written}`);
  return level;
}

function readInput(
  options: WrittenOptions,
  file: SandboxInput,
  issues: IssueList<FlagField>,
): SandboxInput {
  const { allowUrls, bump, allowHostPorts, dnsServers, allowWrite, timeout, memory, pids } =
    options;
  const fromFile = (field: "allow" | "block", path: string | undefined, what: string) =>
    issues.attempt(field, () => readDomainsFile(path, what)) ?? [];
  const allowFile = fromFile("allow", options.allowDomainsFile, "domains");
  const blockFile = fromFile("block", options.blockDomainsFile, "blocked domains");
  return {
    allow: [...file.allow, ...splitList(options.allowDomains ?? ""), ...allowFile],
    profiles: [...(file.profiles ?? []), ...(options.profile ?? []).flatMap(splitList)],
    block: [...file.block, ...splitList(options.blockDomains ?? ""), ...blockFile],
    urls: joined(file.urls, allowUrls === undefined ? undefined : splitList(allowUrls)),
    intercept: file.intercept || options.sslBump === true,
    noBump: joined(file.noBump, typeof bump === "string" ? splitList(bump) : undefined),
    credentials: [
      ...(file.credentials ?? []),
      ...issues.each("credentials", options.injectCredential ?? [], readCredential),
    ],
    limits: [...(file.limits ?? []), ...limitsOf(options, issues)],
    denySecrets:
      file.denySecrets === true || options.denySecrets === true || options.enableDlp === true,
    learn: file.learn || options.learn === true,
    hostAccess: file.hostAccess || options.enableHostAccess === true,
    hostPorts: allowHostPorts === undefined ? file.hostPorts : [allowHostPorts],
    servicePorts: options.allowHostServicePorts,
    dns: dnsServers === undefined ? file.dns : splitList(dnsServers),
    mounts: [...file.mounts, ...issues.each("mounts", options.mount ?? [], readMount)],
    allowWrite: joined(file.allowWrite, allowWrite),
    denyRead: joined(file.denyRead, options.denyRead),
    denyWrite: joined(file.denyWrite, options.denyWrite),
    allowSockets: joined(file.allowSockets, options.allowSocket),
    timeoutMs:
      timeout === undefined
        ? file.timeoutMs
        : issues.attempt("timeout", () => readDuration(timeout)),
    memoryBytes:
      memory === undefined ? file.memoryBytes : issues.attempt("memory", () => readSize(memory)),
    processes: pids === undefined ? file.processes : issues.attempt("pids", () => readCount(pids)),
  };
}

function joined(
  file: readonly string[] | undefined,
  flags: readonly string[] | undefined,
): readonly string[] | undefined {
  return file || flags ? [...(file ?? []), ...(flags ?? [])] : undefined;
}

/** @throws {FirewallError} `no_domains_file` */
function readDomainsFile(path: string | undefined, what: string): string[] {
  if (path === undefined) return [];
  const failed = (reason: string) =>
    new FirewallError("no_domains_file", `Failed to read ${what} file: ${reason}`);
  if (!existsSync(path)) throw failed(`Domains file not found: ${path}`);
  try {
    return splitFile(readFileSync(path, "utf8"));
  } catch (thrown) {
    throw failed(thrown instanceof Error ? thrown.message : String(thrown));
  }
}

function limitsOf(options: WrittenOptions, issues: IssueList<FlagField>): LimitInput[] {
  const { rateLimitRpm, rateLimitRph, rateLimitBytesPm } = options;
  const read = (flag: string, text: string | undefined) =>
    text === undefined ? undefined : issues.attempt("limits", () => readLimit(flag, text));
  const requestsPerMinute = read("--rate-limit-rpm", rateLimitRpm);
  const requestsPerHour = read("--rate-limit-rph", rateLimitRph);
  const bytesPerMinute = read("--rate-limit-bytes-pm", rateLimitBytesPm);
  const limit = {
    ...(requestsPerMinute !== undefined && { requestsPerMinute }),
    ...(requestsPerHour !== undefined && { requestsPerHour }),
    ...(bytesPerMinute !== undefined && { bytesPerMinute }),
  };
  return Object.keys(limit).length > 0 ? [{ domain: "*", ...limit }] : [];
}

/** `NAME=host,host`: the variable is the credential's name. @throws {FirewallError} `invalid_credential` */
function readCredential(text: string): CredentialInput {
  const [, name, hosts] = /^([A-Za-z_]\w*)=(.+)$/.exec(text) ?? [];
  if (name !== undefined && hosts !== undefined) {
    return { name, variable: name, hosts: splitList(hosts) };
  }
  // It may be a value.
  const reason = "--inject-credential must be in format NAME=host[,host], NAME a variable";
  throw new FirewallError("invalid_credential", reason);
}

/** `host:container[:mode]`. @throws {FirewallError} `invalid_mount` */
function readMount(text: string): VolumeInput {
  const [source = "", target, mode, ...rest] = text.split(":");
  if (target !== undefined && rest.length === 0) return { source, target, mode };
  const reason = "Mount must be in format host_path:container_path[:mode]";
  throw new FirewallError("invalid_mount", reason, text);
}

/** @throws {FirewallError} `logs_not_writable` */
function refuseUnwritable(directory: string | undefined): void {
  if (directory === undefined || !existsSync(directory)) return;
  const failed = (reason: string) =>
    new FirewallError("logs_not_writable", `--proxy-logs-dir is not ${reason}: ${directory}`);
  if (!statSync(directory).isDirectory()) throw failed("a directory");
  try {
    accessSync(directory, constants.W_OK);
  } catch {
    throw failed("writable by the current user");
  }
}

type FlagIssue = SandboxIssue<FlagField>;

const rank = ({ field, index = -1 }: FlagIssue) => order.indexOf(field) * 1e9 + index;

/** An issue in terms of the command line. */
function flagMessage({ field, code, message, detail }: FlagIssue): string {
  switch (code) {
    case "invalid_domain":
    case "domain_with_path": {
      const advice = `; to filter by path use --ssl-bump with --allow-urls "https://${detail}"`;
      const list = {
        allow: "Invalid domain or pattern: ",
        block: "Invalid blocked domain or pattern: ",
      };
      const prefix = field === "allow" || field === "block" ? list[field] : "";
      return `${prefix}${message}${code === "domain_with_path" ? advice : ""}`;
    }
    case "url_not_https":
      return `${message}\nUse --allow-domains for domain-level filtering without SSL Bump`;
    case "url_without_path":
      return `${message}\nFor domain-only filtering, use --allow-domains instead\nExample: https://github.com/myorg/* (includes path)`;
    case "urls_need_interception":
      return "--allow-urls requires --ssl-bump to be enabled";
    case "invalid_mount":
      return `Invalid volume mount: ${detail}\nReason: ${message}`;
    case "dangerous_port":
      return `${message} even with --allow-host-ports.`;
    case "host_ports_alone":
      return "❌ --allow-host-ports requires --enable-host-access to be set";
    case "no_dns_servers":
    case "invalid_dns_server":
      return `Invalid DNS servers: ${message}`;
    case "no_such_path":
      return `--allow-write ${message}`;
    case "no_socket":
      return `--allow-socket ${message}`;
    default:
      return message;
  }
}
