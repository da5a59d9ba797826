/** What a sandboxed command may reach, see and use: as written in flags or a block, and parsed. */
import type { EnterPlan } from "../engine/enter.js";
import type { Volume } from "../engine/file-system-view.js";
import type { ResourceLimits } from "../engine/limits.js";
import type { RequestDestination } from "../policy/destination.js";
import type { PatternList } from "../policy/pattern-list.js";
import type { Policy } from "../policy/policy.js";
import { embeddedResolver } from "../proxy/embedded-resolver.js";
import type { RequestLimit } from "../proxy/request-limiter.js";

/** Port of the explicit proxy on the sandbox's loopback interface. */
export const proxyPort = 3128;
/** The name of this machine inside a sandbox. */
export const hostAlias = "host.docker.internal";
/** The address of `hostAlias`, from a range that no network routes. */
export const hostAddress = "192.0.2.1";

/** The network rules of a sandbox. */
export interface NetworkSpec {
  readonly policy: Policy;
  readonly dns: {
    readonly servers: readonly string[];
    /** The servers are the user's choice, not the default. */
    readonly chosen: boolean;
  };
  /** Absent: the sandbox cannot reach this machine. */
  readonly hostPorts?: readonly number[];
  /** The allow list has the keyword `localhost`. */
  readonly localhost: boolean;
  /** HTTPS of these names is not decrypted. */
  readonly noBump: PatternList;
}

export interface SandboxSpec extends NetworkSpec, ResourceLimits {
  /** HTTPS is decrypted, which shows whole URLs. */
  readonly intercept: boolean;
  readonly credentials: readonly CredentialSpec[];
  readonly limits: readonly RequestLimit[];
  /** Requests that contain a secret are refused. */
  readonly denySecrets: boolean;
  readonly volumes: readonly Volume[];
  /** Absent: the workspace and the home directory are writable. */
  readonly allowWrite?: readonly string[];
  /** Directories of the home directory that `allowWrite` has as well, where they exist. */
  readonly homePaths: readonly string[];
  /** Shown empty, also if they appear later. */
  readonly denyRead: readonly string[];
  /** Read-only, whatever else is writable. */
  readonly denyWrite: readonly string[];
  /** Sockets and pipes of the host that the command may use. */
  readonly allowSockets: readonly string[];
  readonly timeoutMs?: number;
}

/** Without its value, which is known at the start of a command only. */
export interface CredentialSpec {
  readonly name: string;
  readonly destinations: readonly RequestDestination[];
  /** The variable that holds a placeholder inside. */
  readonly variable?: string;
  /** The only header that gets the value. */
  readonly header?: string;
}

export interface CredentialInput {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly variable?: string | undefined;
  readonly header?: string | undefined;
}

/** Limits of requests to a domain; `*` is every entry of the allow list. */
export interface LimitInput extends Omit<RequestLimit, "pattern"> {
  readonly domain: string;
}

/** Network rules as written. */
export interface NetworkInput {
  readonly allow: readonly string[];
  /** Names of profiles, which add entries to `allow`. */
  readonly profiles?: readonly string[] | undefined;
  readonly block: readonly string[];
  readonly urls?: readonly string[] | undefined;
  readonly intercept: boolean;
  readonly noBump?: readonly string[] | undefined;
  /** Allow every public domain that is not blocked. */
  readonly learn: boolean;
  readonly hostAccess: boolean;
  /** Ports and ranges; absent: the usual ones. */
  readonly hostPorts?: readonly string[] | undefined;
  /** Ports that may be dangerous ones, also without `hostAccess`. */
  readonly servicePorts?: string | undefined;
  readonly dns?: readonly string[] | undefined;
}

export interface VolumeInput {
  readonly source: string;
  readonly target: string;
  readonly mode?: string | undefined;
}

export interface SandboxInput extends NetworkInput, ResourceLimits {
  readonly mounts: readonly VolumeInput[];
  readonly credentials?: readonly CredentialInput[] | undefined;
  readonly limits?: readonly LimitInput[] | undefined;
  readonly denySecrets?: boolean;
  readonly allowWrite?: readonly string[] | undefined;
  readonly denyRead?: readonly string[] | undefined;
  readonly denyWrite?: readonly string[] | undefined;
  readonly allowSockets?: readonly string[] | undefined;
  readonly timeoutMs?: number | undefined;
}

/** The attributes of a `sandbox` block: durations in milliseconds, sizes in bytes, secrets revealed. */
export interface SandboxAttributes {
  readonly allow?: readonly string[];
  readonly profiles?: readonly string[] | undefined;
  readonly block?: readonly string[];
  readonly allow_urls?: readonly string[];
  readonly ssl_bump?: boolean;
  readonly no_bump?: readonly string[] | undefined;
  readonly host_access?: boolean | ReadonlyArray<number | string>;
  readonly dns?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly allow_write?: readonly string[] | undefined;
  readonly deny_read?: readonly string[] | undefined;
  readonly deny_write?: readonly string[] | undefined;
  readonly allow_socket?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number | undefined;
  readonly memory?: number | undefined;
  readonly pids?: number | undefined;
  readonly upstream_proxy?: string | undefined;
  readonly learn?: boolean;
  readonly ask?: boolean;
  readonly mount?: ReadonlyArray<{
    readonly at: string;
    readonly source: string;
    readonly mode: "ro" | "rw";
  }>;
  readonly credential?: readonly CredentialAttributes[];
  readonly limit?: readonly LimitAttributes[];
  readonly deny_secrets?: boolean;
}

export interface LimitAttributes {
  readonly domain: string;
  readonly requests_per_minute?: number | undefined;
  readonly requests_per_hour?: number | undefined;
  readonly bytes_per_minute?: number | undefined;
}

export interface CredentialAttributes {
  readonly name: string;
  readonly hosts: readonly string[];
  readonly env?: string | undefined;
  readonly header?: string | undefined;
  /** Absent where a check has no need of it. */
  readonly value?: string;
}

export function networkInput(attributes: SandboxAttributes): NetworkInput {
  const { allow = [], block = [], allow_urls: urls = [], host_access: host = false } = attributes;
  return {
    allow,
    profiles: attributes.profiles,
    block,
    urls: urls.length > 0 ? urls : undefined,
    intercept: attributes.ssl_bump === true || urls.length > 0,
    noBump: attributes.no_bump,
    learn: attributes.learn === true,
    hostAccess: host !== false,
    hostPorts: typeof host === "boolean" ? undefined : host.map(String),
    dns: attributes.dns,
  };
}

export function sandboxInput(attributes: SandboxAttributes): SandboxInput {
  return {
    ...networkInput(attributes),
    mounts: (attributes.mount ?? []).map(({ at, source, mode }) => ({ source, target: at, mode })),
    credentials: attributes.credential?.map(({ name, hosts, env: variable, header }) => {
      return { name, hosts, variable, header };
    }),
    limits: attributes.limit?.map(limitInput),
    denySecrets: attributes.deny_secrets === true,
    allowWrite: attributes.allow_write,
    denyRead: attributes.deny_read,
    denyWrite: attributes.deny_write,
    allowSockets: attributes.allow_socket,
    timeoutMs: attributes.timeout,
    memoryBytes: attributes.memory,
    processes: attributes.pids,
  };
}

function limitInput(attributes: LimitAttributes): LimitInput {
  const { domain, requests_per_minute: minute, requests_per_hour: hour } = attributes;
  const { bytes_per_minute: bytes } = attributes;
  return {
    domain,
    ...(minute !== undefined && { requestsPerMinute: minute }),
    ...(hour !== undefined && { requestsPerHour: hour }),
    ...(bytes !== undefined && { bytesPerMinute: bytes }),
  };
}

/** The sockets that the sandbox's namespace opens. */
export function enterPlan({ policy, dns, hostPorts = [] }: NetworkSpec): EnterPlan {
  return {
    proxyPort,
    dnsServers: [...new Set([...dns.servers, embeddedResolver])],
    hostPorts,
    hostAddress,
    ports: [...policy.ports].sort((one, other) => one - other),
  };
}
