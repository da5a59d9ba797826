/** `CONNECT host:port` on the explicit proxy: checked by name first and by its contents afterwards. */
import type { Socket } from "node:net";
import type { Protocol } from "../policy/pattern-list.js";
import type { Verdict } from "../policy/policy.js";
import { closeGracefully } from "./close-gracefully.js";
import {
  type Arrival,
  accessRecord,
  decisions,
  destinationOf,
  type ProxyContext,
  type ProxyOutcome,
  waiting,
} from "./context.js";
import { denial, denialBytes } from "./denial.js";
import { openHost } from "./host-forwarder.js";
import type { HttpHandler, OnConnect } from "./http-handler.js";
import { type ByteMeter, isRefusal } from "./request-limiter.js";
import { authority } from "./request-target.js";
import { splice, tunnelOutcome } from "./splice.js";
import type { TunnelHandler, TunnelRequest } from "./tunnel.js";

const httpEstablished = "HTTP/1.1 200 Connection Established\r\n\r\n";

type ConnectRequest = Parameters<OnConnect>[0];

export interface ConnectHandlers {
  readonly http: HttpHandler;
  readonly tunnel: TunnelHandler;
}

/**
 * Serves one CONNECT request. Never rejects. Keeps no request while the tunnel is open, because tunnels are many and
 * last long.
 */
export async function serveConnect(
  context: ProxyContext,
  handlers: ConnectHandlers,
  incoming: ConnectRequest,
  client: Socket,
  head: Buffer,
  arrival: Arrival,
): Promise<void> {
  const request = await prepare(context, handlers.http, incoming, client, head, arrival);
  if (request) return handlers.tunnel.serve(request);
}

/** The tunnel to open; undefined if the request already has its response. */
async function prepare(
  context: ProxyContext,
  http: HttpHandler,
  incoming: ConnectRequest,
  client: Socket,
  head: Buffer,
  arrival: Arrival,
): Promise<TunnelRequest | undefined> {
  client.on("error", () => client.destroy());
  const target = incoming.url ?? "";
  const userAgent = incoming.headers["user-agent"];
  const { httpVersion, reply } = incoming;
  const established = reply?.established ?? httpEstablished;
  const common = { host: target, httpVersion, method: "CONNECT", url: target, userAgent };
  const record = (outcome: Omit<ProxyOutcome, keyof typeof common>) =>
    context.record(accessRecord(arrival, { ...common, ...outcome }));
  const refuse = (status: number, verdict: Verdict, decision: string, host = target): undefined => {
    record({ status, decision, verdict });
    const page = () => denialBytes(denial(host, verdict, incoming.headers.accept, status));
    closeGracefully(client, reply?.refused(status) ?? page());
  };
  const named = authority(target, "https");
  if (named === "malformed" || !/:\d+$/.test(target)) {
    return refuse(
      400,
      { allowed: false, rule: "deny-malformed", reason: "CONNECT needs host:port" },
      decisions.malformed,
    );
  }
  const { host, port } = named;
  const policy = context.policy();
  if (context.hostAccess?.names.has(host) && context.hostAccess.ports.has(port)) {
    return connectHost();
  }
  const { protocol, ...decided } = decideConnect(context, host, port);
  const needsAnswer = context.questions?.asks(decided, host) === true;
  // The request inside names the host again and asks.
  const answer =
    needsAnswer && protocol === "https"
      ? await context.questions?.ask(host, protocol, waiting(client, arrival.requester, false))
      : undefined;
  const verdict = answer ?? decided;
  if (!verdict.allowed && !(needsAnswer && protocol === "http"))
    return refuse(403, verdict, decisions.denied, host);
  if (protocol === "http") {
    client.write(established);
    if (head.length > 0) client.unshift(head);
    http.accept(client, { kind: "tunnelled", host, port }, arrival);
    return undefined;
  }
  const isRead = protocol === "https" && context.interception?.decrypts?.(host, port) === true;
  const admitted = isRead ? undefined : context.limiter?.admit(host, policy);
  if (isRefusal(admitted)) return refuse(429, admitted, decisions.denied, host);
  const dialled = await context.dialler.dial(host, port, protocol, policy);
  if (dialled.kind === "refused") return refuse(403, dialled.verdict, decisions.denied, host);
  if (dialled.kind === "failed") {
    return refuse(503, { ...verdict, reason: dialled.reason }, decisions.unreachable, host);
  }
  client.write(established);
  const upstream = dialled.socket;
  if (protocol === "tcp") return passAll(upstream, verdict, admitted);
  const meter = { isAdmitted: !isRead, ...(admitted && { meter: admitted }) };
  return { client, arrival, port, connectName: host, upstream, verdict, head, userAgent, ...meter };

  async function passAll(
    upstream: Socket,
    verdict: Verdict,
    meter: ByteMeter | undefined,
  ): Promise<undefined> {
    const destination = destinationOf(upstream);
    if (head.length > 0) client.unshift(head);
    const { refusal, bytesSent, bytesReceived } = await splice(client, upstream, meter);
    const bytes = { bytesSent: bytesSent + head.length, bytesReceived };
    record({ ...tunnelOutcome(verdict, refusal), destination, ...bytes });
  }

  async function connectHost(): Promise<undefined> {
    const { allowed, rule, ...rest } = policy.decideLookup(host);
    if (!allowed && rule !== "deny-default")
      return refuse(403, { allowed, rule, ...rest }, decisions.denied, host);
    const granted: Verdict = { allowed: true, rule: "allow-host-access", reason: "" };
    const admitted = context.limiter?.admit(host, policy);
    if (isRefusal(admitted)) return refuse(429, admitted, decisions.denied, host);
    const way = await openHost(port);
    if (way.kind !== "connected")
      return refuse(503, { ...granted, reason: "connection refused" }, decisions.unreachable, host);
    client.write(established);
    return passAll(way.socket, granted, admitted);
  }
}

/** Port 80 carries HTTP and 443 TLS; another port carries what its entry or its credential says. */
function decideConnect(context: ProxyContext, host: string, port: number) {
  const policy = context.policy();
  const limit = limitOf(context, host, port);
  if (limit === undefined) return policy.decidePort(host, port);
  const protocol: Protocol = limit;
  return { ...policy.decide({ host, port, protocol }), protocol };
}

/** The only protocol of a connection to the port, since the proxy must read its requests. */
export function limitOf(
  { credentials }: ProxyContext,
  host: string,
  port: number,
): "http" | "https" | undefined {
  if (port === 80) return "http";
  if (port === 443 || credentials?.covers({ protocol: "https", host, port })) return "https";
  return credentials?.covers({ protocol: "http", host, port }) ? "http" : undefined;
}
