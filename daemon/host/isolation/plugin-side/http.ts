/**
 * HTTP on the plugin's side: its applications are Fastify's own, without a socket. The host owns the addresses and sends
 * requests over the border; they are injected here, and what is answered goes back whole where it is short and in
 * parts, each awaited, where it is not.
 */
import { AsyncLocalStorage } from "node:async_hooks";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import type { App, AppOptions } from "../../../context/http-app.js";
import { HTTP_DEFAULTS } from "../../../context/http-defaults.js";
import { ReeveError } from "../../../errors.js";
import type { Log } from "../../../plugin-api/context.js";
import type { Http, RawHandler, Routes } from "../../../plugin-api/http.js";
import type { ClientData, HeadData, RequestData, ResponseData } from "../methods.js";
import { type HostPeer, Numbered } from "./host-peer.js";

/** Bytes; a longer answer is sent in parts. */
const WHOLE = 64 * 1024;

export class RemoteHttp implements Http {
  readonly #host: HostPeer;
  readonly #id: string;
  readonly #log: Log;
  readonly #apps = new Numbered<App>();
  readonly #bodies = new Map<number, Readable>();
  /** Of the request that is being injected. */
  readonly #clients = new AsyncLocalStorage<ClientData>();

  constructor(host: HostPeer, id: string, log: Log) {
    this.#host = host;
    this.#id = id;
    this.#log = log;
  }

  readonly serve: Http["serve"] = async (options, routes) => {
    const { bodyLimit, ...claim } = {
      ...HTTP_DEFAULTS,
      ...options,
    };
    const server = await this.#build({ prefix: claim.prefix, bodyLimit }, routes);
    try {
      const bound = await this.#host.call("http.serve", { server, ...claim });
      return { ...bound, close: () => this.#host.call("http.close", server) };
    } catch (thrown) {
      await this.closeServer(server);
      throw thrown;
    }
  };

  readonly control: Http["control"] = async (routes) => {
    const { bodyLimit } = HTTP_DEFAULTS;
    const server = await this.#build({ prefix: `/v1/${this.#id}`, bodyLimit }, routes);
    await this.#host.call("http.control", server);
  };

  /** The host has released the address; no request is in flight. */
  async closeServer(server: number): Promise<void> {
    const app = this.#apps.get(server);
    this.#apps.delete(server);
    await app?.close();
  }

  async request(request: RequestData, signal: AbortSignal): Promise<ResponseData> {
    const app = this.#apps.get(request.server);
    if (!app) throw new ReeveError("no_server", "The server is closed.");
    const { exchange, method, url, headers, client } = request;
    const payload = this.#payload(request);
    try {
      const injected = {
        method: method as "GET",
        url,
        headers: headers as Record<string, string>,
        remoteAddress: client.remoteAddress,
        payloadAsStream: true,
        signal,
        ...(payload === undefined ? {} : { payload }),
      } as const;
      const response = await this.#clients.run(client, () => app.inject(injected));
      const head = { status: response.statusCode, headers: response.headers };
      return await this.#answer(exchange, head, response.stream());
    } finally {
      this.#bodies.delete(exchange);
    }
  }

  /** Resolves when there is room for more. */
  async body(exchange: number, data: Uint8Array | undefined): Promise<void> {
    const body = this.#bodies.get(exchange);
    if (!body || body.destroyed) return;
    if (data === undefined) body.push(null);
    else if (!body.push(data)) await new Promise<void>((resolve) => body.once(ROOM, resolve));
  }

  /** Fastify is loaded for plugins that serve something. */
  async #build(options: Omit<AppOptions, "log">, routes: Routes | RawHandler): Promise<number> {
    const { buildApp } = await import("../../../context/http-app.js");
    const prepare = ({ socket }: IncomingMessage): void => this.#describeClient(socket);
    return this.#apps.add(await buildApp({ ...options, log: this.#log, prepare }, routes));
  }

  /** The stand-in of the socket says what the real one would. */
  #describeClient(socket: object): void {
    const { remotePort, tls } = this.#clients.getStore() ?? {};
    Object.assign(socket, { remotePort });
    if (tls === undefined) return;
    const { authorized, certificate } = tls;
    Object.assign(socket, { authorized, getPeerCertificate: () => certificate });
  }

  #payload({ exchange, body }: RequestData): Readable | Buffer | undefined {
    if (body !== "follows") return body && Buffer.from(body);
    const stream: Readable = new Readable({
      read() {
        this.emit(ROOM);
      },
      destroy(error, done) {
        this.emit(ROOM);
        done(error);
      },
    });
    this.#bodies.set(exchange, stream);
    return stream;
  }

  async #answer(exchange: number, head: HeadData, stream: Readable): Promise<ResponseData> {
    const chunks: Buffer[] = [];
    let size = 0;
    let sent = false;
    const isShort = Number(head.headers["content-length"] ?? Number.NaN) <= WHOLE;
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (isShort && size + chunk.length <= WHOLE) {
        chunks.push(chunk);
        size += chunk.length;
        continue;
      }
      if (!sent) await this.#host.call("http.head", { exchange, ...head });
      sent = true;
      await this.#host.call("http.part", { exchange, data: chunk });
    }
    if (sent) return { kind: "sent" };
    return { kind: "whole", ...head, body: Buffer.concat(chunks) };
  }
}

const ROOM = Symbol("room");
