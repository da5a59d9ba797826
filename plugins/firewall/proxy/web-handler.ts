/** Accepts HTTP: plain requests take the fast path, all others go to Node's server. */
import type { Socket } from "node:net";
import { closeGracefully } from "./close-gracefully.js";
import { arrive, type ProxyContext } from "./context.js";
import type { HttpHandler, OnConnect } from "./http-handler.js";
import { readPlainHead } from "./plain-head.js";
import { servePlain } from "./plain-request.js";
import type { RequestOrigin } from "./request-target.js";
import { serveSocks, socksVersion } from "./socks.js";

/** A client must send its first bytes within this time. */
const patienceMs = 30_000;

export class WebHandler {
  readonly #context: ProxyContext;
  readonly #http: HttpHandler;
  readonly #onConnect: OnConnect;

  constructor(context: ProxyContext, http: HttpHandler, onConnect: OnConnect) {
    this.#context = context;
    this.#http = http;
    this.#onConnect = onConnect;
  }

  accept(client: Socket, origin: RequestOrigin): void {
    const closeLate = () =>
      closeGracefully(client, "HTTP/1.1 408 Request Timeout\r\nconnection: close\r\n\r\n");
    const ended = () => client.end();
    const first = (bytes: Buffer) => {
      client.off("data", first).off("end", ended).off("timeout", closeLate).setTimeout(0);
      this.#read(client, origin, bytes);
    };
    client.on("error", () => client.destroy());
    client.on("data", first).once("end", ended).setTimeout(patienceMs, closeLate);
  }

  #read(client: Socket, origin: RequestOrigin, bytes: Buffer): void {
    if (bytes[0] === socksVersion && origin.kind === "explicit") {
      const identify = () => arrive(client, this.#context);
      serveSocks(client, bytes, identify, this.#onConnect);
      return;
    }
    const head = readPlainHead(bytes);
    if (head?.method === "CONNECT" && origin.kind === "explicit") {
      client.pause();
      const rest = bytes.subarray(head.length);
      this.#onConnect(head, client, rest, arrive(client, this.#context));
      return;
    }
    if (head && head.method !== "CONNECT" && head.length === bytes.length) {
      this.#context.track(servePlain(this.#context, client, head, origin));
      return;
    }
    client.pause();
    client.unshift(bytes);
    this.#http.accept(client, origin, arrive(client, this.#context));
  }
}
