/** Resolves names with the DNS servers of the run. The proxy connects to these addresses only. */

import { getServers, Resolver } from "node:dns";
import { readFileSync } from "node:fs";
import { parseIpAddress } from "../policy/address.js";

export interface Resolved {
  readonly addresses: readonly string[];
  /** From the host's own hosts file. The administrator chose the address, so it may be internal. */
  readonly fromHostsFile: boolean;
}

export interface ResolverOptions {
  readonly servers: readonly string[];
  /** Ask the host's own servers if none of `servers` answers: set for default servers. */
  readonly fallBack: boolean;
  readonly hostsFile?: string;
}

const timeoutMs = 2000;
const longestCacheMs = 60_000;
const largestCache = 4096;

export class NameResolver {
  /** Servers in the order of use: a server that did not answer moves to the end. */
  #resolvers: Resolver[];
  readonly #hosts: ReadonlyMap<string, readonly string[]>;
  readonly #cache = new Map<string, { readonly resolved: Resolved; readonly until: number }>();
  readonly #pending = new Map<string, Promise<Resolved>>();

  constructor({ servers, fallBack, hostsFile = "/etc/hosts" }: ResolverOptions) {
    const groups = fallBack ? [[...servers], getServers()] : [[...servers]];
    this.#resolvers = groups.filter((group) => group.length > 0).map(resolverFor);
    this.#hosts = readHosts(hostsFile);
  }

  /** Addresses that need no question. */
  known(name: string): Resolved | undefined {
    const listed = this.#hosts.get(name);
    if (listed) return { addresses: listed, fromHostsFile: true };
    const cached = this.#cache.get(name);
    return cached && cached.until > performance.now() ? cached.resolved : undefined;
  }

  /** All addresses, IPv4 first. Empty if the name does not exist or no server answers. */
  resolve(name: string): Promise<Resolved> {
    const known = this.known(name);
    if (known) return Promise.resolve(known);
    const pending = this.#pending.get(name);
    if (pending !== undefined) return pending;
    const answer = this.#ask(name).then(({ addresses, ttlMs }) => {
      const resolved = { addresses, fromHostsFile: false };
      this.#pending.delete(name);
      if (this.#cache.size >= largestCache) this.#cache.clear();
      this.#cache.set(name, { resolved, until: performance.now() + ttlMs });
      return resolved;
    });
    this.#pending.set(name, answer);
    return answer;
  }

  async #ask(name: string): Promise<{ addresses: string[]; ttlMs: number }> {
    for (const resolver of [...this.#resolvers]) {
      const [four, six] = await Promise.all([
        ask(resolver, name, "A"),
        ask(resolver, name, "AAAA"),
      ]);
      if (four === "silent" && six === "silent") {
        this.#resolvers = [...this.#resolvers.filter((other) => other !== resolver), resolver];
        continue;
      }
      const answers = [four, six].flatMap((answer) => (answer === "silent" ? [] : answer));
      const ttlMs = Math.min(longestCacheMs, ...answers.map(({ ttl }) => ttl * 1000));
      return {
        addresses: answers.map(({ address }) => address),
        ttlMs: answers.length ? ttlMs : 0,
      };
    }
    return { addresses: [], ttlMs: 0 };
  }
}

function resolverFor(servers: readonly string[]): Resolver {
  const resolver = new Resolver({ timeout: timeoutMs, tries: 2 });
  resolver.setServers(
    servers.map((server) =>
      server.includes(":") && !server.startsWith("[") ? `[${server}]` : server,
    ),
  );
  return resolver;
}

type Answer = ReadonlyArray<{ readonly address: string; readonly ttl: number }>;

/** `silent` if the server does not answer. */
function ask(resolver: Resolver, name: string, kind: "A" | "AAAA"): Promise<Answer | "silent"> {
  return new Promise((resolve) => {
    const done = (error: NodeJS.ErrnoException | null, found: Answer) => {
      if (!error) return resolve(found ?? []);
      const silent = ["ETIMEOUT", "ECONNREFUSED", "ESERVFAIL", "EREFUSED"].includes(
        error.code ?? "",
      );
      resolve(silent ? "silent" : []);
    };
    if (kind === "A") resolver.resolve4(name, { ttl: true }, done);
    else resolver.resolve6(name, { ttl: true }, done);
  });
}

/** Addresses by name in the host's own hosts file. */
export function readHosts(path: string): Map<string, string[]> {
  const hosts = new Map<string, string[]>();
  try {
    for (const line of readFileSync(path, "utf8").split("\n")) {
      const [written = "", ...names] = line.replace(/#.*$/, "").trim().split(/\s+/);
      const address = parseIpAddress(written);
      if (address === undefined) continue;
      for (const name of names) {
        const key = name.toLowerCase();
        hosts.set(key, [...(hosts.get(key) ?? []), address]);
      }
    }
  } catch {
    // The hosts file is optional.
  }
  return hosts;
}
