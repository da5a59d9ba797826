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

/**
 * Reads the `sandbox` block of that name, or the only one, from a file.
 * @throws {FirewallError} saying what is wrong with the file
 */
export type ReadSandboxFile = (path: string, name: string | undefined) => Promise<SandboxShape>;

/** What a file says and what was written after it: lists are joined, of single values the written one counts. */
export function mergeOptions(file: WrittenOptions, written: WrittenOptions): WrittenOptions {
  const commas = (name: "allowDomains" | "blockDomains" | "allowUrls") => {
    const both = [file[name], written[name]].filter((text) => text !== undefined);
    return both.length > 0 ? { [name]: both.join(",") } : {};
  };
  const lists = (name: "env" | "mount" | "allowWrite") => {
    const both = [...(file[name] ?? []), ...(written[name] ?? [])];
    return both.length > 0 ? { [name]: both } : {};
  };
  return {
    ...file,
    ...written,
    ...commas("allowDomains"),
    ...commas("blockDomains"),
    ...commas("allowUrls"),
    ...lists("env"),
    ...lists("mount"),
    ...lists("allowWrite"),
  };
}
