/** The attributes of a `sandbox` block, as the options of the command line that mean the same. */
import type { WrittenOptions } from "./options.js";

/** A block's values, with durations in milliseconds, sizes in bytes and secrets revealed. */
export interface SandboxShape {
  readonly allow?: readonly string[];
  readonly block?: readonly string[];
  readonly allow_urls?: readonly string[];
  readonly ssl_bump?: boolean;
  readonly host_access?: boolean | ReadonlyArray<number | string>;
  readonly dns?: readonly string[] | undefined;
  readonly cwd?: string | undefined;
  readonly allow_write?: readonly string[] | undefined;
  readonly env?: Readonly<Record<string, string>>;
  readonly timeout?: number | undefined;
  readonly memory?: number | undefined;
  readonly pids?: number | undefined;
  readonly upstream_proxy?: string | undefined;
  readonly learn?: boolean;
  readonly mount?: ReadonlyArray<{
    readonly at: string;
    readonly source: string;
    readonly mode: "ro" | "rw";
  }>;
}

export function optionsFrom(shape: SandboxShape): WrittenOptions {
  const { allow = [], block = [], allow_urls: urls = [], host_access: host = false } = shape;
  const { dns, cwd, allow_write: writable, env = {}, timeout, memory, pids, mount = [] } = shape;
  return {
    ...(allow.length > 0 && { allowDomains: allow.join(",") }),
    ...(block.length > 0 && { blockDomains: block.join(",") }),
    ...(urls.length > 0 && { allowUrls: urls.join(",") }),
    ...((shape.ssl_bump || urls.length > 0) && { sslBump: true }),
    ...(host !== false && { enableHostAccess: true }),
    ...(typeof host !== "boolean" && { allowHostPorts: host.join(",") }),
    ...(dns && { dnsServers: dns.join(",") }),
    ...(cwd !== undefined && { containerWorkdir: cwd }),
    ...(writable && { allowWrite: writable }),
    env: Object.entries(env).map(([name, value]) => `${name}=${value}`),
    mount: mount.map(({ at, source, mode }) => `${source}:${at}:${mode}`),
    ...(timeout !== undefined && { timeout: `${timeout}ms` }),
    ...(memory !== undefined && { memory: `${memory}b` }),
    ...(pids !== undefined && { pids: String(pids) }),
    ...(shape.upstream_proxy !== undefined && { upstreamProxy: shape.upstream_proxy }),
    ...(shape.learn && { learn: true }),
  };
}
