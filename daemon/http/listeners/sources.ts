/** What one address may hold of a listener, so that it cannot keep others out. */
import type { IncomingMessage, ServerResponse } from "node:http";
import { BlockList, isIP, type Socket } from "node:net";
import { clientNetwork } from "../../plugin-api/client-network.js";
import type { SourceLimits } from "../../plugin-api/http.js";
import { LIMITS } from "./limits.js";

interface Source {
  connections: number;
  requests: number;
}

/** Counts connections and requests by IPv4 address or IPv6 network (/64). Sockets without an address are not limited. */
export class SourceCounts {
  #connections: number = LIMITS.sourceConnections;
  #requests: number = LIMITS.sourceRequests;
  #exempt = new BlockList();
  readonly #open = new Map<string, Source>();
  /** Found once a connection, not once a request. `undefined`: not limited. */
  #keys = new WeakMap<Socket, string | undefined>();

  /** The widest limits of all claims hold. */
  configure(claims: ReadonlyArray<SourceLimits | undefined>): void {
    const most = (name: "connections" | "requests", usual: number): number =>
      Math.max(...claims.map((claim) => claim?.[name] ?? usual));
    if (claims.length > 0) {
      this.#connections = most("connections", LIMITS.sourceConnections);
      this.#requests = most("requests", LIMITS.sourceRequests);
    }
    this.#exempt = new BlockList();
    this.#keys = new WeakMap();
    for (const network of claims.flatMap((claim) => claim?.exempt ?? [])) {
      const [address = "", bits] = network.split("/");
      const family = isIP(address) === 6 ? "ipv6" : "ipv4";
      if (isIP(address) !== 0)
        this.#exempt.addSubnet(address, Number(bits ?? (family === "ipv6" ? 128 : 32)), family);
    }
  }

  /** Counts a connection until it closes. Returns whether it may stay. */
  connect(socket: Socket): boolean {
    const key = this.#keyOf(socket);
    return key === undefined || this.#take(key, "connections", this.#connections, socket);
  }

  /** Counts a request until its response is done. Returns whether it may be handled. */
  begin({ socket }: IncomingMessage, response: ServerResponse): boolean {
    const key = this.#keyOf(socket);
    return key === undefined || this.#take(key, "requests", this.#requests, response);
  }

  #take(
    key: string,
    what: keyof Source,
    most: number,
    held: { once(event: "close", listener: () => void): unknown },
  ): boolean {
    const source = this.#open.get(key) ?? { connections: 0, requests: 0 };
    if (source[what] >= most) return false;
    source[what] += 1;
    this.#open.set(key, source);
    held.once("close", () => {
      source[what] -= 1;
      if (source.connections === 0 && source.requests === 0) this.#open.delete(key);
    });
    return true;
  }

  #keyOf(socket: Socket): string | undefined {
    const known = this.#keys.get(socket);
    if (known !== undefined || this.#keys.has(socket)) return known;
    const key = this.#findKey(socket);
    this.#keys.set(socket, key);
    return key;
  }

  #findKey({ remoteAddress }: Socket): string | undefined {
    if (remoteAddress === undefined) return undefined;
    const address = remoteAddress.replace(/^::ffff:(?=\d+\.)|%.*$/g, "");
    const isExempt = this.#exempt.check(address, address.includes(":") ? "ipv6" : "ipv4");
    return isExempt ? undefined : clientNetwork(address);
  }
}
