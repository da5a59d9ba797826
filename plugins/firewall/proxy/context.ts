/** The context of one sandbox's proxy: policy, dialler and access log. */
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import type { SecureContext } from "node:tls";
import type { AccessRecord, Requester } from "../log/entry.js";
import type { Policy, Verdict } from "../policy/policy.js";
import type { CredentialInjector } from "./credentials.js";
import type { Dialler } from "./dial.js";
import type { Questions, WaitingClient } from "./questions.js";
import type { RequestLimiter } from "./request-limiter.js";
import type { SecretScanner } from "./secret-scanner.js";

/** Services of the host that a sandbox may reach by an alias. */
interface HostAccess {
  readonly names: ReadonlySet<string>;
  /** The alias's address inside the sandbox. */
  readonly address: string;
  readonly ports: ReadonlySet<number>;
}

export interface ProxyContext {
  /** Called for every connection, so that a change applies at once. */
  readonly policy: () => Policy;
  readonly dialler: Dialler;
  readonly record: (record: AccessRecord) => void;
  /** The process that owns a port inside the sandbox. */
  readonly requester: (port: number, transport: "tcp" | "udp") => Requester | undefined;
  readonly hostAccess?: HostAccess;
  /** Registers work that ends in a record. Closing the proxy waits for it. */
  readonly track: (work: Promise<void>) => void;
  /** Present if the proxy decrypts TLS. */
  readonly interception?: Interception;
  /** Present if there are limits. */
  readonly limiter?: RequestLimiter;
  /** Present if requests are searched for secrets. */
  readonly secrets?: SecretScanner;
  /** Present if requests get credentials. */
  readonly credentials?: CredentialInjector;
  /** Present if a user is asked about domains that no list has. */
  readonly questions?: Questions;
}

/** What the owner of a proxy provides. */
export type ProxySettings = Omit<ProxyContext, "track">;

/** An accepted connection. */
export interface Arrival {
  readonly clientIp: string;
  readonly clientPort: number;
  /** The address that the program connected to; the explicit proxy's own for a program that uses it. */
  readonly originalAddress: string;
  readonly requester: Requester | undefined;
  /** Milliseconds of the monotonic clock. */
  readonly since: number;
}

/** Identifies the client at once, because its process may end. */
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

/**
 * A client that waits for the answer to a question.
 * @param isRead something reads from the socket already, and so notices its end
 */
export function waiting(
  client: Duplex,
  requester: Arrival["requester"],
  isRead: boolean,
): WaitingClient {
  return {
    requester,
    whenLeft: (left) => {
      // Once: a client that ends also closes.
      const leave = () => {
        stop();
        left();
      };
      // The stream notices its end only if something wants to read.
      const look = () => {
        if (client.readableLength === 0) client.read(0);
      };
      const stop = () => {
        client.off("close", leave);
        if (!isRead) client.off("end", leave).off("readable", look);
      };
      client.once("close", leave);
      if (!isRead) client.once("end", leave).on("readable", look);
      if (client.destroyed || (!isRead && client.readableEnded)) process.nextTick(leave);
      return stop;
    },
  };
}

export function unmappedAddress(address: string | undefined): string {
  return (address ?? "-").replace(/^::ffff:(?=\d+\.)/, "");
}

/** The fields of a record apart from the client's. */
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

/** The remote end of a socket, for the record. */
export function destinationOf(socket: Socket): { address: string; port: number } | undefined {
  const { remoteAddress, remotePort } = socket;
  if (remoteAddress === undefined || remotePort === undefined) return undefined;
  return { address: unmappedAddress(remoteAddress), port: remotePort };
}

export interface Interception {
  /** A certificate for the name, signed by the run's authority. */
  contextFor(name: string): Promise<SecureContext>;
  /** The authorities that the proxy trusts for origins. */
  readonly trust: SecureContext;
  /** Whether TLS for the name is decrypted; absent: always. */
  readonly decrypts?: (name: string, port: number) => boolean;
}
