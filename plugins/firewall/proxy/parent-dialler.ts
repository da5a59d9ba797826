/** Connects through a parent proxy, for networks without another way out. */
import { request } from "node:http";
import type { Socket } from "node:net";
import { canonicalHostName } from "../policy/name.js";
import type { Protocol } from "../policy/pattern-list.js";
import type { Policy } from "../policy/policy.js";
import { connectTimeoutMs, type Dialled, type Dialler, open } from "./dial.js";
import type { NameResolver } from "./resolver.js";

export interface ParentProxy {
  readonly host: string;
  readonly port: number;
  /** The value of `Proxy-Authorization`, a secret. */
  readonly authorization?: string;
}

/** The parent resolves names itself, so their addresses cannot be checked here. */
export class ParentDialler implements Dialler {
  readonly #parent: ParentProxy;
  readonly #direct: Dialler;
  readonly #without: readonly string[];
  readonly #resolver: NameResolver;

  /** @param without names, and parents of names, to connect to directly; `*` is all of them */
  constructor(
    parent: ParentProxy,
    direct: Dialler,
    without: readonly string[],
    resolver: NameResolver,
  ) {
    this.#parent = parent;
    this.#direct = direct;
    this.#without = without.map((entry) =>
      entry
        .replace(/^\*?\./, "")
        .replace(/:\d+$/, "")
        .toLowerCase(),
    );
    this.#resolver = resolver;
  }

  async dial(host: string, port: number, protocol: Protocol, policy: Policy): Promise<Dialled> {
    if (
      this.#without.some((entry) => entry === "*" || host === entry || host.endsWith(`.${entry}`))
    ) {
      return this.#direct.dial(host, port, protocol, policy);
    }
    if (protocol !== "http") return this.#connect(host, port);
    const { authorization } = this.#parent;
    const reached = await this.#reach();
    return reached.kind === "connected"
      ? {
          ...reached,
          parentHeaders: authorization === undefined ? [] : ["Proxy-Authorization", authorization],
        }
      : reached;
  }

  /** The user chose the parent, so any address is allowed. */
  async #reach(): Promise<Dialled> {
    const { host, port } = this.#parent;
    const name = canonicalHostName(host);
    const { addresses } =
      name === undefined || /^[\d.]+$/.test(name)
        ? { addresses: [host] }
        : await this.#resolver.resolve(name);
    if (addresses.length === 0)
      return { kind: "failed", reason: "the upstream proxy's name does not resolve" };
    const reached = await open(addresses, port);
    return reached.kind === "failed"
      ? { ...reached, reason: `the upstream proxy cannot be reached: ${reached.reason}` }
      : reached;
  }

  async #connect(host: string, port: number): Promise<Dialled> {
    const reached = await this.#reach();
    if (reached.kind !== "connected") return reached;
    const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const { authorization } = this.#parent;
    return new Promise((resolve) => {
      const outgoing = request({
        createConnection: () => reached.socket,
        method: "CONNECT",
        path: authority,
        timeout: connectTimeoutMs,
        headers: {
          host: authority,
          ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
        },
      });
      const failed = (reason: string) => {
        outgoing.destroy();
        reached.socket.destroy();
        resolve({ kind: "failed", reason });
      };
      outgoing.once("timeout", () => failed("the upstream proxy does not answer"));
      outgoing.once("error", (error) =>
        failed(`the upstream proxy broke the connection: ${error.message}`),
      );
      outgoing.once("response", ({ statusCode }) =>
        failed(`the upstream proxy answered ${statusCode}`),
      );
      outgoing.once("connect", ({ statusCode }, socket, head) => {
        if (statusCode !== 200) return failed(`the upstream proxy answered ${statusCode}`);
        if (head.length > 0) socket.unshift(head);
        (socket as Socket).setTimeout(0);
        resolve({ kind: "connected", socket: socket as Socket });
      });
      outgoing.end();
    });
  }
}
