/**
 * Where requests may go that the text of a repository can cause: by its registries, locked URLs, submodules, or a redirect.
 * Addresses of this host, of private networks and of clouds' metadata services are refused when a connection is made, so
 * a name that resolves to one is refused, too.
 */
import { lookup } from "node:dns/promises";
import { Agent as HttpAgent } from "node:http";
import { type AgentOptions, Agent as HttpsAgent } from "node:https";
import { BlockList, connect, isIP, type SocketAddress, type TcpSocketConnectOpts } from "node:net";
import { UpdatesError } from "../errors.js";
import { shown } from "./credentials.js";

export interface EgressOptions {
  /** URLs of the configuration: their origins are allowed. */
  readonly urls?: readonly string[];
  /** Names of hosts, addresses and networks that are allowed. */
  readonly allowed?: readonly string[];
}

/** IANA's special-purpose registries, and an address of Azure's metadata service. */
const SPECIAL = [
  ...["0.0.0.0/8", "10.0.0.0/8", "100.64.0.0/10", "127.0.0.0/8", "169.254.0.0/16"],
  ...["168.63.129.16/32", "172.16.0.0/12", "192.0.0.0/24", "192.168.0.0/16", "198.18.0.0/15"],
  ...["224.0.0.0/4", "240.0.0.0/4", "::/128", "::1/128", "64:ff9b::/96", "64:ff9b:1::/48"],
  ...["2001::/32", "2002::/16", "fc00::/7", "fe80::/10", "fec0::/10", "ff00::/8"],
];

type Family = "ipv4" | "ipv6";
const familyOf = (address: string): Family => (isIP(address) === 6 ? "ipv6" : "ipv4");

function listOf(networks: readonly string[]): BlockList {
  const list = new BlockList();
  for (const network of networks) {
    const [address = "", bits] = network.split("/");
    const family = familyOf(address);
    if (isIP(address) !== 0)
      list.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
  }
  return list;
}

const special = listOf(SPECIAL);

/** Node asks it about every address that it connects to. */
class RefusedAddresses extends BlockList {
  readonly #allowed: BlockList;

  constructor(allowed: BlockList) {
    super();
    this.#allowed = allowed;
  }

  override check(given: string | SocketAddress, type?: Family): boolean {
    const address = typeof given === "string" ? given : given.address;
    const family = type ?? familyOf(address);
    return special.check(address, family) && !this.#allowed.check(address, family);
  }
}

/** Sockets of TLS do not ask: each gets a socket that did. */
class GuardedHttpsAgent extends HttpsAgent {
  readonly #blockList: BlockList;

  constructor(options: AgentOptions, blockList: BlockList) {
    super(options);
    this.#blockList = blockList;
  }

  override createConnection(
    ...[options, done]: Parameters<HttpsAgent["createConnection"]>
  ): ReturnType<HttpsAgent["createConnection"]> {
    const { host, port } = options as TcpSocketConnectOpts;
    const socket = connect({
      ...(host === undefined ? {} : { host }),
      port,
      blockList: this.#blockList,
    });
    return super.createConnection({ ...options, socket } as typeof options, done);
  }
}

/** Idle connections close before most servers would close them. */
const KEEP = { keepAlive: true, maxFreeSockets: 32, timeout: 4000 };
const OPEN = { "http:": new HttpAgent(KEEP), "https:": new HttpsAgent(KEEP) };

export class Egress {
  readonly #names: ReadonlySet<string>;
  readonly #refused: RefusedAddresses;
  readonly #guarded: typeof OPEN;

  constructor({ urls = [], allowed = [] }: EgressOptions = {}) {
    this.#names = new Set([
      ...urls.flatMap((url) => (URL.canParse(url) ? [new URL(url).origin] : [])),
      ...allowed.map((name) => name.toLowerCase()),
    ]);
    this.#refused = new RefusedAddresses(listOf(allowed));
    const options = { ...KEEP, blockList: this.#refused };
    this.#guarded = {
      "http:": new HttpAgent(options),
      "https:": new GuardedHttpsAgent(KEEP, this.#refused),
    };
  }

  /** For `http` and `https`. Its connections fail with ERR_IP_BLOCKED where they may not go. */
  agentFor({ protocol, hostname, origin }: URL): HttpAgent | HttpsAgent {
    const isNamed = this.#names.has(origin) || this.#names.has(hostname);
    return (isNamed ? OPEN : this.#guarded)[protocol === "https:" ? "https:" : "http:"];
  }

  /** An address of the host for a program that connects by itself. @throws UpdatesError `registry_refused` */
  async addressOf(host: string, url: string): Promise<string> {
    const { address } = isIP(host) === 0 ? await lookup(host) : { address: host };
    if (!this.#names.has(host) && this.#refused.check(address)) throw refusal(url);
    return address;
  }

  /** The first URL in a text that names a refused address. Names are not resolved. */
  refusedUrlIn(text: string): string | undefined {
    for (const [url] of text.matchAll(/[a-z][a-z0-9+.-]*:\/\/[^\s"'<>`\\]+/gi)) {
      // The parser of `http` normalizes other forms of addresses, such as decimal ones.
      const alike = url.replace(/^[^:]+/, "http");
      if (!URL.canParse(alike)) continue;
      const { origin, hostname } = new URL(alike);
      const address = hostname.replace(/^\[|\]$/g, "");
      const isLocal = /(^|\.)localhost\.?$/.test(hostname);
      if (this.#names.has(origin) || this.#names.has(hostname)) continue;
      if (
        isLocal ? this.#refused.check("127.0.0.1") : isIP(address) && this.#refused.check(address)
      )
        return url;
    }
    return undefined;
  }
}

export const refusal = (url: string): UpdatesError =>
  new UpdatesError(
    "registry_refused",
    `${shown(url)} is an address of this host or of a private network. If it may be used, list its host or network in \`allow_registries\`.`,
  );

/** Whether a connection failed because its address is refused. */
export function isRefused(thrown: unknown): boolean {
  const { code, errors = [] } = thrown as { code?: unknown; errors?: readonly unknown[] };
  return code === "ERR_IP_BLOCKED" || errors.some(isRefused);
}
