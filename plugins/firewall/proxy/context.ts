/** What every door of the proxy shares: the policy in force, the way out, the record. One per sandbox. */
import type { Socket } from "node:net";
import type { SecureContext } from "node:tls";
import type { AccessRecord, Requester } from "../log/entry.js";
import type { Policy, Verdict } from "../policy/policy.js";
import type { Dialler } from "./dial.js";

/** Services of the host that a sandbox may reach, by an alias. */
interface HostAccess {
  readonly names: ReadonlySet<string>;
  /** The alias's address inside the sandbox. */
  readonly address: string;
  readonly ports: ReadonlySet<number>;
}

export interface ProxyContext {
  /** Asked anew for every connection, so that a change applies at once. */
  readonly policy: () => Policy;
  readonly dialler: Dialler;
  readonly record: (record: AccessRecord) => void;
  /** The process behind a port on the sandbox's side. */
  readonly requester: (port: number, transport: "tcp" | "udp") => Requester | undefined;
  readonly hostAccess?: HostAccess;
  /** Work that ends in a record; the proxy is closed once all of it is done. */
  readonly track: (work: Promise<void>) => void;
  /** Present when TLS is to be opened rather than peeked at. */
  readonly interception?: Interception;
}

/** What the owner of a proxy gives it; the rest it makes itself. */
export type ProxySettings = Omit<ProxyContext, "track">;

/** A connection as it came in. */
export interface Arrival {
  readonly clientIp: string;
  readonly clientPort: number;
  /** Where the program meant to connect; the explicit proxy's own address for a program that uses one. */
  readonly originalAddress: string;
  readonly requester: Requester | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly since: number;
}

/** Notes who is calling; at once, since the process may end. */
export function arrive(socket: Socket, context: ProxyContext): Arrival {
  const clientPort = socket.remotePort ?? 0;
  return {
    clientIp: unmappedAddress(socket.remoteAddress),
    clientPort,
    originalAddress: unmappedAddress(socket.localAddress),
    requester: context.requester(clientPort, "tcp"),
    since: performance.now(),
  };
}

export function unmappedAddress(address: string | undefined): string {
  return (address ?? "-").replace(/^::ffff:(?=\d+\.)/, "");
}

/** What a record says beyond who called. */
export interface ProxyOutcome {
  readonly host: string;
  readonly destination?: { readonly address: string; readonly port: number } | undefined;
  readonly httpVersion: string;
  readonly method: string;
  readonly status: number;
  readonly decision: string;
  readonly url: string;
  readonly userAgent?: string | undefined;
  readonly verdict: Verdict;
  readonly bytesSent?: number;
  readonly bytesReceived?: number;
}

/** One record of one outcome, now. */
export function accessRecord(arrival: Arrival, outcome: ProxyOutcome): AccessRecord {
  const { verdict, destination } = outcome;
  return {
    timestamp: Date.now() / 1000,
    clientIp: arrival.clientIp,
    clientPort: String(arrival.clientPort),
    host: outcome.host || "-",
    destIp: destination?.address ?? "-",
    destPort: destination ? String(destination.port) : "-",
    protocol: outcome.httpVersion,
    method: outcome.method,
    statusCode: outcome.status,
    decision: outcome.decision,
    url: outcome.url,
    userAgent: outcome.userAgent || "-",
    rule: verdict.rule,
    ...(verdict.pattern === undefined ? {} : { pattern: verdict.pattern }),
    ...(verdict.reason === "" ? {} : { reason: verdict.reason }),
    ...(arrival.requester ? { requester: arrival.requester } : {}),
    bytesSent: outcome.bytesSent ?? 0,
    bytesReceived: outcome.bytesReceived ?? 0,
    durationMs: Math.max(0, Math.round(performance.now() - arrival.since)),
  };
}

/** Result fields of `access.log`. */
export const decisions = {
  tunnel: "TCP_TUNNEL:HIER_DIRECT",
  forwarded: "TCP_MISS:HIER_DIRECT",
  unreachable: "TCP_MISS:HIER_NONE",
  denied: "TCP_DENIED:HIER_NONE",
  malformed: "NONE_NONE:HIER_NONE",
} as const;

/** Where a socket is connected to, for the record. */
export function destinationOf(socket: Socket): { address: string; port: number } | undefined {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { address: unmappedAddress(remoteAddress), port: remotePort };
}

export interface Interception {
  /** A server identity for the name, signed by the run's own authority. */
  contextFor(name: string): Promise<SecureContext>;
  /** Whom the proxy itself trusts on the far side. */
  readonly trust: SecureContext;
}
