/** Opens TLS in the middle: the client gets an identity of the run's own authority, what is inside is read as HTTP. */
import { TLSSocket } from "node:tls";
import type { ProxyContext } from "./context.js";
import type { HttpDoor } from "./http.js";
import { serveHttp2 } from "./http2.js";
import type { Interception } from "./interception.js";
import { secure } from "./open-upstream.js";
import type { Intercepted } from "./tunnel.js";

const largestMemory = 1000;

export class InterceptDoor {
  readonly #context: ProxyContext;
  readonly #interception: Interception;
  readonly #http: HttpDoor;
  /** Origins that were asked for HTTP/2 and chose HTTP/1.1. */
  readonly #withoutHttp2 = new Set<string>();

  constructor(context: ProxyContext, interception: Interception, http: HttpDoor) {
    this.#context = context;
    this.#interception = interception;
    this.#http = http;
  }

  readonly open = (intercepted: Intercepted): void => {
    void this.#open(intercepted).catch(() => intercepted.client.destroy());
  };

  /** The client is spoken to as its origin speaks, so that nothing of either has to be put into the other's words. */
  async #open(intercepted: Intercepted): Promise<void> {
    const { client, hello, name, arrival } = intercepted;
    const [secureContext, origin] = await Promise.all([
      this.#interception.contextFor(name),
      this.#originByHttp2(intercepted),
    ]);
    if (client.destroyed) {
      origin?.destroy();
      return;
    }
    client.unshift(hello);
    if (origin) {
      const visit = { client, identity: secureContext, origin, name, arrival };
      return this.#context.track(serveHttp2(this.#context, visit));
    }
    const ALPNProtocols = ["http/1.1"];
    const opened = new TLSSocket(client, { isServer: true, secureContext, ALPNProtocols });
    opened.on("error", () => opened.destroy());
    this.#http.accept(opened, { kind: "intercepted", host: name }, arrival);
  }

  /** A connection to the origin, where both sides want HTTP/2. What is wrong with it is told by HTTP/1.1. */
  async #originByHttp2({ name, protocols }: Intercepted): Promise<TLSSocket | undefined> {
    if (!protocols.includes("h2") || this.#withoutHttp2.has(name)) return undefined;
    const { dialler, policy } = this.#context;
    const dialled = await dialler.dial(name, 443, "https", policy());
    if (dialled.kind !== "connected") return undefined;
    const { trust } = this.#interception;
    const secured = await secure(dialled.socket, name, trust, ["h2", "http/1.1"]);
    if (typeof secured === "string") return undefined;
    secured.on("error", () => secured.destroy());
    if (secured.alpnProtocol === "h2") return secured;
    secured.destroy();
    if (this.#withoutHttp2.size >= largestMemory) this.#withoutHttp2.clear();
    this.#withoutHttp2.add(name);
    return undefined;
  }
}
