/** TLS tunnels: parses the client hello, checks it against the policy and forwards all bytes unchanged. */
import type { Socket } from "node:net";
import { parseIpAddress } from "../policy/address.js";
import { canonicalHostName } from "../policy/name.js";
import type { Verdict } from "../policy/policy.js";
import { longestHello, readClientHello } from "./client-hello.js";
import {
  type Arrival,
  accessRecord,
  decisions,
  destinationOf,
  type ProxyContext,
  type ProxyOutcome,
  waiting,
} from "./context.js";
import { accessDeniedAlert } from "./denial.js";
import { type ByteMeter, isRefusal } from "./request-limiter.js";
import { splice, tunnelOutcome } from "./splice.js";

const helloTimeoutMs = 10_000;

/** A tunnel that may open. */
export interface TunnelRequest {
  readonly client: Socket;
  readonly arrival: Arrival;
  readonly port: number;
  /** The name in the CONNECT request; undefined for a program that uses no proxy. */
  readonly connectName?: string;
  /** An open connection to that name, made before the response to CONNECT. */
  readonly upstream?: Socket;
  readonly verdict?: Verdict;
  /** The limits have admitted the tunnel. */
  readonly isAdmitted?: boolean;
  readonly meter?: ByteMeter;
  /** Bytes that arrived with the CONNECT request. */
  readonly head?: Buffer;
  readonly userAgent?: string | undefined;
}

interface AllowedTunnel {
  readonly name: string;
  readonly verdict: Verdict;
  readonly way: Socket;
  readonly first: Buffer;
  readonly meter?: ByteMeter;
}

/** A client whose TLS the proxy decrypts, after its hello was read and its name allowed. */
export interface Intercepted {
  readonly client: Socket;
  readonly hello: Buffer;
  readonly name: string;
  readonly port: number;
  readonly arrival: Arrival;
  /** The protocols that the client offers by ALPN. */
  readonly protocols: readonly string[];
}

export type OpenIntercepted = (intercepted: Intercepted) => void;

export class TunnelHandler {
  readonly #context: ProxyContext;
  readonly #intercept: OpenIntercepted | undefined;

  constructor(context: ProxyContext, intercept?: OpenIntercepted) {
    this.#context = context;
    this.#intercept = intercept;
  }

  /** Serves the client until it ends. Never rejects. */
  async serve(request: TunnelRequest): Promise<void> {
    const { client, upstream, connectName, arrival } = request;
    client.on("error", () => client.destroy());
    upstream?.on("error", () => upstream.destroy());
    const first = await firstFlight(client, request.head);
    const hello = first ? readClientHello(first) : undefined;
    const sniName = hello?.kind === "hello" ? hello.serverName : undefined;
    const name = this.#nameOf(request, sniName);
    const decided = first
      ? this.#decide(request, hello?.kind === "hello", name, sniName)
      : refused("deny-no-tls", "the connection sent no TLS client hello");
    const { questions } = this.#context;
    const verdict = questions?.asks(decided, name)
      ? await questions.ask(name, "https", waiting(client, arrival.requester, false))
      : decided;
    if (!verdict.allowed || !first) return this.#refuse(request, name, verdict);
    const { port } = request;
    const decrypts = this.#context.interception?.decrypts?.(name, port) ?? true;
    if (this.#intercept && decrypts && hello?.kind === "hello" && sniName !== undefined) {
      upstream?.destroy();
      const { protocols } = hello;
      return this.#intercept({ client, hello: first, name, port, arrival, protocols });
    }
    const { limiter, policy } = this.#context;
    const admitted = request.isAdmitted ? request.meter : limiter?.admit(name, policy());
    if (isRefusal(admitted)) return this.#refuse(request, name, admitted);
    const way = upstream ?? (await this.#dial(request, name, verdict));
    if (!way) return;
    const meter = admitted && { meter: admitted };
    return this.#pass(request, { name: connectName ?? name, verdict, way, first, ...meter });
  }

  #nameOf({ connectName, arrival }: TunnelRequest, sniName: string | undefined): string {
    return nameIn(sniName) ?? connectName ?? arrival.originalAddress;
  }

  #decide(
    { connectName, port, verdict }: TunnelRequest,
    isTls: boolean,
    name: string,
    sniName: string | undefined,
  ): Verdict {
    if (!isTls) return refused("deny-no-tls", `port ${port} accepts only TLS`);
    // A server might read another name in it.
    if (sniName !== undefined && nameIn(sniName) === undefined) {
      return refused("deny-malformed-name", "the TLS client hello has an invalid server name");
    }
    if (connectName !== undefined && name !== connectName) {
      return refused(
        "deny-sni-mismatch",
        `the TLS client hello names ${name}, the connection is for ${connectName}`,
      );
    }
    if (sniName === undefined && parseIpAddress(name) === undefined) {
      return refused("deny-no-sni", "the TLS client hello names no server");
    }
    if (verdict) return verdict;
    const decided = this.#context.policy().decide({ host: name, port, protocol: "https" });
    return sniName === undefined && !decided.allowed
      ? refused(
          "deny-no-sni",
          "the TLS client hello names no server and the address is not in the allowlist",
        )
      : decided;
  }

  async #dial(request: TunnelRequest, name: string, verdict: Verdict): Promise<Socket | undefined> {
    const { dialler, policy } = this.#context;
    const dialled = await dialler.dial(name, request.port, "https", policy());
    if (dialled.kind === "connected") return dialled.socket;
    if (dialled.kind === "refused") this.#refuse(request, name, dialled.verdict);
    else {
      this.#record(request, name, {
        status: 503,
        decision: decisions.unreachable,
        verdict: { ...verdict, reason: dialled.reason },
      });
      request.client.destroy();
    }
    return undefined;
  }

  #refuse(request: TunnelRequest, name: string, verdict: Verdict): void {
    this.#record(request, name, tunnelOutcome(verdict, verdict));
    request.upstream?.destroy();
    request.client.end(accessDeniedAlert);
    request.client.destroySoon();
  }

  async #pass(
    request: TunnelRequest,
    { name, verdict, way, first, meter }: AllowedTunnel,
  ): Promise<void> {
    const destination = destinationOf(way);
    const { length } = first;
    const { client, arrival, port, userAgent } = request;
    const early = meter?.add(length);
    if (early) {
      way.destroy();
      return this.#refuse(request, name, early);
    }
    way.write(first);
    const { bytesSent, bytesReceived, refusal } = await splice(client, way, meter);
    this.#record({ arrival, port, userAgent }, name, {
      ...tunnelOutcome(verdict, refusal),
      destination,
      bytesSent: bytesSent + length,
      bytesReceived,
    });
  }

  #record(
    { arrival, port, userAgent }: Pick<TunnelRequest, "arrival" | "port" | "userAgent">,
    name: string,
    outcome: Pick<ProxyOutcome, "status" | "decision" | "verdict"> & Partial<ProxyOutcome>,
  ): void {
    const target = `${name.includes(":") ? `[${name}]` : name}:${port}`;
    this.#context.record(
      accessRecord(arrival, {
        host: target,
        httpVersion: "1.1",
        method: "CONNECT",
        url: target,
        userAgent,
        ...outcome,
      }),
    );
  }
}

/** The canonical name or address in a client hello. */
function nameIn(sniName: string | undefined): string | undefined {
  return sniName === undefined
    ? undefined
    : (parseIpAddress(sniName) ?? canonicalHostName(sniName));
}

function refused(rule: string, reason: string): Verdict {
  return { allowed: false, rule, reason };
}

/** The client's first bytes, up to a complete hello; undefined if it sends none in time. */
function firstFlight(client: Socket, head: Buffer | undefined): Promise<Buffer | undefined> {
  return new Promise((resolve) => {
    let bytes = head ?? Buffer.alloc(0);
    const done = (result: Buffer | undefined) => {
      clearTimeout(timer);
      client.off("data", more);
      client.off("end", ended);
      client.off("close", ended);
      client.pause();
      resolve(result);
    };
    const ended = () => done(bytes.length > 0 ? bytes : undefined);
    const more = (chunk: Buffer) => {
      bytes = bytes.length === 0 ? chunk : Buffer.concat([bytes, chunk]);
      if (bytes.length > longestHello || readClientHello(bytes).kind !== "partial") done(bytes);
    };
    const timer = setTimeout(ended, helloTimeoutMs);
    if (client.destroyed) return ended();
    if (bytes.length > 0 && readClientHello(bytes).kind !== "partial") return done(bytes);
    client.on("data", more);
    client.once("end", ended);
    client.once("close", ended);
    client.resume();
  });
}
