/** The origin of decrypted HTTP/2. Connects only when a request may reach it. */
import type { ClientHttp2Session } from "node:http2";
import type { TLSSocket } from "node:tls";
import { destinationOf, type ProxyContext, type ProxyOutcome } from "./context.js";
import { secure } from "./open-upstream.js";

/** Limits headers and concurrent streams, and disables push. */
export const http2Settings = {
  enablePush: false,
  maxConcurrentStreams: 256,
  maxHeaderListSize: 64 * 1024,
};

/** An HTTP/2 connection to the origin. */
export interface Http2Upstream {
  readonly session: ClientHttp2Session;
  readonly destination: ProxyOutcome["destination"];
}

export class Http2Origin {
  readonly name: string;
  readonly port: number;
  readonly #context: ProxyContext;
  readonly #withoutHttp2: () => void;
  #opening: Promise<Http2Upstream | undefined> | undefined;
  #way: Http2Upstream | undefined;
  #closed = false;

  /** @param withoutHttp2 called if the origin chooses HTTP/1.1 */
  constructor(
    context: ProxyContext,
    { name, port }: { readonly name: string; readonly port: number },
    withoutHttp2: () => void,
  ) {
    this.#context = context;
    this.name = name;
    this.port = port;
    this.#withoutHttp2 = withoutHttp2;
  }

  /** Connects once; undefined if the origin does not speak HTTP/2. Errors then surface over HTTP/1.1. */
  reach(): Promise<Http2Upstream | undefined> {
    this.#opening ??= this.#open();
    return this.#opening;
  }

  /** Call it when either side closes. */
  close(): void {
    this.#closed = true;
    this.#way?.session.destroy();
  }

  async #open(): Promise<Http2Upstream | undefined> {
    const { dialler, policy, interception } = this.#context;
    if (!interception) return undefined;
    const dialled = await dialler.dial(this.name, this.port, "https", policy());
    if (dialled.kind !== "connected") return undefined;
    const protocols = ["h2", "http/1.1"];
    const secured = await secure(dialled.socket, this.name, interception.trust, protocols);
    if (typeof secured === "string") return undefined;
    secured.on("error", () => secured.destroy());
    if (secured.alpnProtocol === "h2" && !this.#closed) return this.#speak(secured);
    if (secured.alpnProtocol !== "h2") this.#withoutHttp2();
    secured.destroy();
    return undefined;
  }

  #speak(secured: TLSSocket): Http2Upstream {
    // Loaded on demand: it takes long, and few runs need it.
    const { connect } = process.getBuiltinModule("node:http2");
    const settings = http2Settings;
    const session = connect(`https://${this.name}`, { createConnection: () => secured, settings });
    session.on("error", () => session.destroy());
    this.#way = { session, destination: destinationOf(secured) };
    return this.#way;
  }
}
