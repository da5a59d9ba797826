/** One socket with an HTTP server that outlives its request handlers. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import { createServer as createSecureServer, type Server as SecureServer } from "node:https";
import { Server as NetServer, type Socket } from "node:net";
import { setImmediate, setTimeout as sleep } from "node:timers/promises";
import { type Address, addressText } from "../../config/address.js";
import { errorMessage } from "../../errors.js";
import type { Log } from "../../plugin-api/context.js";
import type { TlsFiles } from "../../plugin-api/http.js";
import type { RequestHandler } from "../contract.js";
import { requireOneHost } from "../host-header.js";
import { problem, sendProblem } from "../problem.js";
import { type BindOptions, type Bound, bind } from "./bind.js";
import type { Claim } from "./claim.js";
import type { Http2Connections } from "./http2.js";
import { LIMITS } from "./limits.js";
import { PrefixRouter } from "./prefix-router.js";
import { SourceCounts } from "./sources.js";
import { clientOptions, keepCertificate } from "./tls.js";

const OPTIONS = {
  maxHeaderSize: LIMITS.headerBytes,
  headersTimeout: LIMITS.headersTimeout,
  requestTimeout: LIMITS.headersTimeout,
  keepAliveTimeout: LIMITS.keepAliveTimeout,
  connectionsCheckingInterval: LIMITS.checkingInterval,
  handshakeTimeout: LIMITS.headersTimeout,
  noDelay: true,
} as const;

const PREPARING = "The configuration that answers here is being prepared.";

export class Listener {
  readonly claims = new Set<Claim>();
  readonly #router = new PrefixRouter<Claim>();
  readonly #sources = new SourceCounts();
  readonly #log: Log;
  readonly #tls: TlsFiles | undefined;
  readonly #server: Server & { maxHeaderSize?: number };
  readonly #take: RequestHandler;
  /** Where clients may choose it. */
  #http2: Http2Connections | undefined;
  #bound: Bound | undefined;
  #silent = false;
  #closed: Promise<void> | undefined;
  /** Requests that wait for the first claim to be active: the socket of systemd has callers before the daemon is ready. */
  #held: Array<readonly [IncomingMessage, ServerResponse]> = [];

  constructor(log: Log, tls?: TlsFiles) {
    this.#log = log;
    this.#tls = tls;
    this.#take = requireOneHost((request, response) => this.#dispatch(request, response));
    this.#server = tls
      ? createSecureServer({ ...OPTIONS, ...clientOptions(tls), ...protocolsOf(tls) }, this.#take)
      : createServer(OPTIONS, this.#take);
    this.#server.maxConnections = LIMITS.connections;
    this.#server.on("connection", (socket: Socket) => {
      if (!this.#sources.connect(socket)) this.#turnAway(socket);
    });
  }

  get address(): Address | undefined {
    return this.#bound?.address;
  }
  get prefixes(): readonly string[] {
    return this.#router.prefixes;
  }

  /** @throws ReeveError */
  async open(address: Address, options: BindOptions): Promise<void> {
    if (this.#tls) await keepCertificate(this.#server as SecureServer, this.#tls, this.#log);
    if (this.#tls && hasHttp2(this.#tls)) {
      // Node's module takes long to load.
      const { Http2Connections: Connections } = await import("./http2.js");
      this.#http2 = new Connections(this.#server as SecureServer, this.#take);
      this.retime();
    }
    this.#bound = await bind(this.#server, address, options);
    this.#server.on("error", (error) => {
      const on = addressText(address);
      this.#log.error("A listener has trouble", { address: on, reason: errorMessage(error) });
    });
  }

  activate(claim: Claim): void {
    if (claim.state !== "waiting") return;
    claim.state = "active";
    this.#router.set(claim.prefix, claim);
    void this.#goOn();
  }

  /** No request goes to the claim any more. */
  withdraw(claim: Claim): void {
    claim.state = "released";
    this.#router.delete(claim.prefix, claim);
    if (!this.#awaitsFirst) void this.#goOn();
  }

  /** Whether a claim waits, and none is active. */
  get #awaitsFirst(): boolean {
    const states = [...this.claims].map(({ state }) => state);
    return this.#router.prefixes.length === 0 && states.includes("waiting");
  }

  /** In a later turn: a commit activates claims before their handlers have the new configuration. */
  async #goOn(): Promise<void> {
    if (this.#held.length === 0) return;
    await setImmediate();
    const held = this.#held;
    this.#held = [];
    for (const [request, response] of held) this.#dispatch(request, response);
  }

  holds(prefix: string, state: Claim["state"]): Claim | undefined {
    return [...this.claims].find((claim) => claim.prefix === prefix && claim.state === state);
  }

  /** The server waits as long as the most patient claim wants; for the others see `hurry`. */
  retime(): void {
    const patience = [...this.claims].map((claim) => claim.requestTimeout);
    this.#server.requestTimeout = Math.max(LIMITS.headersTimeout, ...patience);
    // For later connections. Handlers with a lower limit check it themselves: see `#dispatch`.
    const limits = [...this.claims].map((claim) => claim.headerLimit);
    if (limits.length > 0) {
      this.#server.maxHeaderSize = Math.max(...limits);
      if (this.#http2) this.#http2.headerLimit = Math.max(...limits);
    }
    this.#sources.configure([...this.claims].map((claim) => claim.perSource));
  }

  /**
   * Stops accepting after this turn of the event loop; resolves when every connection is gone. Requests that come on open
   * connections are answered; a connection without any is closed after half a second.
   */
  close(): Promise<void> {
    this.#closed ??= this.#close();
    return this.#closed;
  }

  /** Cuts off whatever is still connected. */
  cut(): void {
    this.#server.closeAllConnections();
    this.#http2?.cut();
  }

  async #close(): Promise<void> {
    let open = this.#bound !== undefined;
    // Connections that wait to be accepted would be reset: the last turn of the loop has accepted them.
    await setImmediate();
    // The HTTP server's own `close` also closes idle connections, on which a request may be on its way.
    const closed = new Promise<void>((resolve) =>
      NetServer.prototype.close.call(this.#server, () => resolve()),
    );
    void closed.then(() => {
      open = false;
    });
    this.#http2?.announceEnd();
    await this.#bound?.cleanUp();
    for (let isFirst = true; open; isFirst = false) {
      // Requests that come are answered, and their connections end with the answer.
      await Promise.race([closed, sleep(LIMITS.parting, undefined, { ref: false })]);
      await Promise.all([...this.claims].map((claim) => claim.idle()));
      if (isFirst) {
        this.#server.closeIdleConnections();
        this.#http2?.end();
      } else {
        this.cut();
      }
    }
    // Ends the server's own timer.
    this.#server.close();
  }

  #dispatch(request: IncomingMessage, response: ServerResponse): void {
    const claim = this.#router.match(request.url ?? "");
    const { maxHeaderSize = 0, requestTimeout } = this.#server;
    // Tells the client that this connection takes no further request.
    if (this.#closed !== undefined) response.setHeader("connection", "close");
    if (claim === undefined) {
      this.#unclaimed(request, response);
      return;
    }
    const isLimited = request.httpVersionMajor === 1 && claim.headerLimit >= maxHeaderSize;
    if (!isLimited && hasMore(request, claim)) {
      response.setHeader("connection", "close");
      sendProblem(response, problem("headers_too_large", "The headers are longer than accepted."));
      return;
    }
    const isWatched = request.httpVersionMajor === 1 && claim.requestTimeout >= requestTimeout;
    if (claim.requestTimeout > 0 && !isWatched) {
      hurry(request, response, claim);
    }
    if (!this.#sources.begin(request, response)) {
      sendProblem(
        response,
        problem("too_many_requests", "Earlier requests of this address have no response yet."),
      );
      return;
    }
    try {
      claim.take(request, response);
    } catch (thrown) {
      this.#log.error("A handler failed", { owner: claim.owner, reason: errorMessage(thrown) });
      sendProblem(response, problem("internal", "The request could not be handled."));
    }
  }

  /** Said once a minute: there may be thousands. */
  #turnAway(socket: Socket): void {
    const { remoteAddress: address } = socket;
    socket.destroy();
    if (this.#silent) return;
    this.#silent = true;
    setTimeout(() => {
      this.#silent = false;
    }, 60_000).unref();
    this.#log.warn("Connections of an address are refused: it has too many open", { address });
  }

  #unclaimed(request: IncomingMessage, response: ServerResponse): void {
    if (this.#awaitsFirst) {
      if (this.#held.length < LIMITS.connections) this.#held.push([request, response]);
      else sendProblem(response, problem("not_ready", PREPARING));
      return;
    }
    const { prefixes } = this.#router;
    const path = pathOf(request);
    const [only = ""] = prefixes;
    const begin = prefixes.map((prefix) => `\`${prefix}\``).join(", ");
    const instead = prefixes.length === 1 ? `, for example \`${only}${path}\`` : "";
    const hint = prefixes.length === 0 ? "" : ` Paths begin with ${begin}${instead}.`;
    sendProblem(response, problem("not_found", `Nothing is configured at \`${path}\`.${hint}`));
  }
}

const hasHttp2 = ({ http2 = true }: TlsFiles): boolean => http2;

/** In the order of preference. */
const protocolsOf = (tls: TlsFiles) => (hasHttp2(tls) ? { ALPNProtocols: ["h2", "http/1.1"] } : {});

const hasMore = ({ rawHeaders, url = "" }: IncomingMessage, { headerLimit }: Claim): boolean =>
  rawHeaders.reduce((sum, text) => sum + text.length + 2, url.length) > headerLimit;

/** Ends a request whose body takes longer than its own claim allows. */
function hurry(request: IncomingMessage, response: ServerResponse, claim: Claim): void {
  if (request.headers["content-length"] === undefined && !request.headers["transfer-encoding"]) {
    return;
  }
  const timer = setTimeout(() => {
    if (request.complete) return;
    if (!response.headersSent) response.setHeader("connection", "close");
    sendProblem(response, problem("request_timeout", "The request did not arrive in time."));
  }, claim.requestTimeout);
  response.once("close", () => clearTimeout(timer));
}

const pathOf = ({ url = "" }: IncomingMessage): string =>
  (url.split("?", 1)[0] ?? "").slice(0, 200);
