/** Connections to the outside: only to addresses that the policy has let through, or through a parent proxy. */
import { request } from "node:http";
import { connect, type LookupFunction, type Socket } from "node:net";
import { parseAddress } from "../policy/address.js";
import type { Protocol } from "../policy/pattern-list.js";
import type { Policy, Verdict } from "../policy/policy.js";
import type { NameResolver } from "./resolver.js";

/** A proxy of the host's network that everything must go through. */
export interface ParentProxy {
  readonly host: string;
  readonly port: number;
  /** `Proxy-Authorization` value, a secret. */
  readonly authorization?: string;
}

export type Dialled =
  | { readonly kind: "connected"; readonly socket: Socket; readonly via: "direct" | "parent" }
  | { readonly kind: "refused"; readonly verdict: Verdict }
  | { readonly kind: "failed"; readonly reason: string };

export interface Dialler {
  /** Opens a connection to a name or address that the policy has already allowed. */
  dial(host: string, port: number, protocol: Protocol, policy: Policy): Promise<Dialled>;
}

const connectTimeoutMs = 30_000;

export class DirectDialler implements Dialler {
  readonly #resolver: NameResolver;

  constructor(resolver: NameResolver) {
    this.#resolver = resolver;
  }

  async dial(host: string, port: number, protocol: Protocol, policy: Policy): Promise<Dialled> {
    const literal = parseAddress(host);
    if (literal !== undefined) return open([literal], port);
    const { addresses, fromHostsFile } = await this.#resolver.resolve(host);
    if (addresses.length === 0)
      return { kind: "failed", reason: `the name ${host} does not resolve` };
    const verdicts = addresses.map((address) => ({
      address,
      verdict: policy.decideResolved(address, protocol),
    }));
    const usable = verdicts.filter(
      ({ verdict }) =>
        verdict.allowed || (fromHostsFile && verdict.rule === "deny-internal-address"),
    );
    const [first] = verdicts;
    if (usable.length === 0 && first) return { kind: "refused", verdict: first.verdict };
    return open(
      usable.map(({ address }) => address),
      port,
    );
  }
}

/** Connects to the first address that answers; families take turns as in Happy Eyeballs. */
export function open(addresses: readonly string[], port: number): Promise<Dialled> {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const [only] = addresses;
  // The addresses are decided already, so the connection must not ask anybody again.
  const lookup: LookupFunction = (_name, options, callback) => {
    if (options.all) callback(null, all);
    else callback(null, all[0]?.address ?? "", all[0]?.family);
  };
  const socket =
    addresses.length === 1 && only !== undefined
      ? connect({ host: only, port, noDelay: true, allowHalfOpen: true })
      : connect({
          host: "decided.invalid",
          port,
          lookup,
          autoSelectFamily: true,
          noDelay: true,
          allowHalfOpen: true,
        });
  return new Promise((settle) => {
    const failed = (reason: string) => {
      socket.destroy();
      settle({ kind: "failed", reason });
    };
    const timer = setTimeout(() => failed("no answer within 30 seconds"), connectTimeoutMs);
    const onError = (error: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      failed(error.code === "ECONNREFUSED" ? "connection refused" : (error.code ?? error.message));
    };
    socket.once("error", onError);
    socket.once("connect", () => {
      clearTimeout(timer);
      socket.off("error", onError);
      settle({ kind: "connected", socket, via: "direct" });
    });
  });
}

/** Asks the parent to connect; names are resolved there, so only block lists and names can be enforced here. */
export class ParentDialler implements Dialler {
  readonly #parent: ParentProxy;

  constructor(parent: ParentProxy) {
    this.#parent = parent;
  }

  dial(host: string, port: number): Promise<Dialled> {
    const authority = `${host.includes(":") ? `[${host}]` : host}:${port}`;
    const { host: parentHost, port: parentPort, authorization } = this.#parent;
    return new Promise((settle) => {
      const asked = request({
        host: parentHost,
        port: parentPort,
        method: "CONNECT",
        path: authority,
        agent: false,
        timeout: connectTimeoutMs,
        headers: {
          host: authority,
          ...(authorization === undefined ? {} : { "proxy-authorization": authorization }),
        },
      });
      const failed = (reason: string) => {
        asked.destroy();
        settle({ kind: "failed", reason });
      };
      asked.once("timeout", () => failed("the upstream proxy does not answer"));
      asked.once("error", (error) =>
        failed(`the upstream proxy cannot be reached: ${error.message}`),
      );
      asked.once("response", ({ statusCode }) =>
        failed(`the upstream proxy answered ${statusCode}`),
      );
      asked.once("connect", (response, socket, head) => {
        if (response.statusCode !== 200)
          return failed(`the upstream proxy answered ${response.statusCode}`);
        if (head.length > 0) socket.unshift(head);
        socket.setTimeout(0);
        settle({ kind: "connected", socket: socket as Socket, via: "parent" });
      });
      asked.end();
    });
  }
}
