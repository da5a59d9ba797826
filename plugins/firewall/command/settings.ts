/** From options as written to settings that can be run: every rule of the command line, checked before anything starts. */
import { accessSync, constants, existsSync, realpathSync, statSync } from "node:fs";
import { isIP } from "node:net";
import { resolve } from "node:path";
import type { Volume } from "../engine/mounts.js";
import { FirewallError } from "../errors.js";
import { splitList } from "../policy/lists.js";
import { Policy } from "../policy/policy.js";
import { readDomainLists } from "./domains.js";
import { chooseEngine, type EngineName } from "./images.js";
import { type LogLevel, logLevels } from "./messages.js";
import type { WrittenOptions } from "./options.js";
import { defaultHostPorts, developmentPorts, readHostPorts } from "./ports.js";
import { readDuration, readSize } from "./quantities.js";
import { readVolume } from "./volumes.js";

export interface Settings {
  readonly options: WrittenOptions;
  readonly engine: EngineName;
  readonly policy: Policy;
  readonly dns: { readonly servers: readonly string[]; readonly chosen: boolean };
  /** Absent: the host cannot be reached. */
  readonly hostPorts?: readonly number[];
  readonly localhostKeyword: boolean;
  readonly volumes: readonly Volume[];
  readonly allowWrite?: readonly string[];
  readonly logLevel: LogLevel;
  readonly timeoutMs?: number;
  readonly memoryBytes?: number;
  readonly processes?: number;
}

const defaultDnsServers = ["8.8.8.8", "8.8.4.4"];

/** @throws {FirewallError} for the first thing that is not right. */
export function readSettings(options: WrittenOptions): Settings {
  const logLevel = readLogLevel(options.logLevel);
  const engine = chooseEngine(options);
  const lists = readDomainLists(options);
  const volumes = (options.mount ?? []).map(readVolume);
  const hostPorts = readHostAccess(options, lists.localhost);
  if (options.proxyLogsDir !== undefined) refuseUnwritable(options.proxyLogsDir);
  return {
    options,
    engine,
    policy: new Policy(lists.allow, lists.block, lists.urls, { learning: options.learn === true }),
    dns: readDnsServers(options.dnsServers),
    ...(hostPorts ? { hostPorts } : {}),
    localhostKeyword: lists.localhost,
    volumes,
    ...(options.allowWrite ? { allowWrite: options.allowWrite.map(writablePath) } : {}),
    logLevel,
    ...(options.timeout === undefined ? {} : { timeoutMs: readDuration(options.timeout) }),
    ...(options.memory === undefined ? {} : { memoryBytes: readSize(options.memory) }),
    ...(options.pids === undefined ? {} : { processes: readCount(options.pids) }),
  };
}

/** @throws {FirewallError} `invalid_log_level`, which is said without a mark. */
function readLogLevel(written = "info"): LogLevel {
  const level = logLevels.find((known) => known === written);
  if (!level) throw new FirewallError("invalid_log_level", `Invalid log level: ${written}`);
  return level;
}

function readDnsServers(written: string | undefined): Settings["dns"] {
  if (written === undefined) return { servers: defaultDnsServers, chosen: false };
  const servers = splitList(written);
  if (servers.length === 0) {
    throw new FirewallError(
      "invalid_dns_servers",
      "Invalid DNS servers: At least one DNS server must be specified",
    );
  }
  const wrong = servers.find((server) => isIP(server) === 0);
  if (wrong !== undefined) {
    throw new FirewallError(
      "invalid_dns_servers",
      `Invalid DNS servers: Invalid DNS server IP address: ${wrong}`,
    );
  }
  return { servers: [...new Set(servers)], chosen: true };
}

function readHostAccess(options: WrittenOptions, keyword: boolean): readonly number[] | undefined {
  const wanted = options.enableHostAccess === true || keyword;
  if (options.allowHostPorts !== undefined) {
    if (!wanted) {
      throw new FirewallError(
        "host_ports_alone",
        "❌ --allow-host-ports requires --enable-host-access to be set",
      );
    }
    return readHostPorts(options.allowHostPorts);
  }
  if (!wanted) return undefined;
  return keyword ? [...defaultHostPorts, ...developmentPorts] : defaultHostPorts;
}

function writablePath(path: string): string {
  const absolute = resolve(path);
  if (!existsSync(absolute)) {
    throw new FirewallError(
      "no_such_path",
      `--allow-write path does not exist: ${absolute}; make it first`,
    );
  }
  return realpathSync(absolute);
}

function readCount(written: string): number {
  const count = Number(written);
  if (!/^\d+$/.test(written) || count < 1 || count > 4_194_304) {
    throw new FirewallError(
      "invalid_count",
      `Invalid process count: ${written}. Must be a whole number from 1`,
    );
  }
  return count;
}

function refuseUnwritable(directory: string): void {
  if (!existsSync(directory)) return;
  if (!statSync(directory).isDirectory()) {
    throw new FirewallError(
      "logs_not_writable",
      `--proxy-logs-dir is not a directory: ${directory}`,
    );
  }
  try {
    accessSync(directory, constants.W_OK);
  } catch {
    throw new FirewallError(
      "logs_not_writable",
      `--proxy-logs-dir is not writable by the current user: ${directory}`,
    );
  }
}
