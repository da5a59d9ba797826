/** Outgoing connections: to addresses that the policy allows, or through a parent proxy. */
import { connect, type LookupFunction, type Socket } from "node:net";
import { parseIpAddress } from "../policy/address.js";
import type { Protocol } from "../policy/pattern-list.js";
import type { Policy, Verdict } from "../policy/policy.js";
import type { NameResolver, Resolved } from "./resolver.js";

export type Dialled =
  | {
      readonly kind: "connected";
      readonly socket: Socket;
      /** Present for a connection to a parent proxy, which needs the whole URL and these headers. */
      readonly parentHeaders?: readonly string[];
    }
  | { readonly kind: "refused"; readonly verdict: Verdict }
  | { readonly kind: "failed"; readonly reason: string };

export interface Dialler {
  /** Connects to a name or address that the policy has already allowed. */
  dial(host: string, port: number, protocol: Protocol, policy: Policy): Promise<Dialled>;
}

export const connectTimeoutMs = 30_000;

export class DirectDialler implements Dialler {
  readonly #resolver: NameResolver;

  constructor(resolver: NameResolver) {
    this.#resolver = resolver;
  }

  /** Connects at once if the name's addresses are known. */
  dial(host: string, port: number, protocol: Protocol, policy: Policy): Promise<Dialled> {
    const literal = parseIpAddress(host);
    if (literal !== undefined) return open([literal], port);
    const reach = (resolved: Resolved) => this.#reach(host, port, protocol, policy, resolved);
    const known = this.#resolver.known(host);
    return known ? reach(known) : this.#resolver.resolve(host).then(reach);
  }

  async #reach(
    host: string,
    port: number,
    protocol: Protocol,
    policy: Policy,
    { addresses, fromHostsFile }: Resolved,
  ): Promise<Dialled> {
    if (addresses.length === 0)
      return { kind: "failed", reason: `the name ${host} does not resolve` };
    const verdicts = addresses.map((address) => ({
      address,
      verdict: policy.decideResolved(address, protocol, port),
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

/** Connects to the first address that answers, alternating families as in Happy Eyeballs. */
export function open(addresses: readonly string[], port: number): Promise<Dialled> {
  const all = addresses.map((address) => ({ address, family: address.includes(":") ? 6 : 4 }));
  const [only] = addresses;
  // The policy has checked these addresses, so the connection must not resolve the name again.
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
  return new Promise((resolve) => {
    const failed = (reason: string) => {
      socket.destroy();
      resolve({ kind: "failed", reason });
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
      resolve({ kind: "connected", socket });
    });
  });
}
