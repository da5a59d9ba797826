/** The upstream side of an HTTP request: connects as the policy allows and rewrites the headers. */
import { type ClientRequest, type IncomingMessage, request } from "node:http";
import type { Socket } from "node:net";
import type { Duplex } from "node:stream";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { Verdict } from "../policy/policy.js";
import { destinationOf, type ProxyContext, type ProxyOutcome } from "./context.js";
import { carriesBody } from "./framing.js";
import { withoutHopByHop } from "./headers.js";
import { openHost } from "./host-forwarder.js";
import type { ForwardTarget } from "./request-decision.js";

export interface UpstreamConnection {
  readonly kind: "open";
  readonly stream: Duplex;
  readonly destination: ProxyOutcome["destination"];
  /** Present for a parent proxy, which needs the whole URL and these headers. */
  readonly parentHeaders?: readonly string[];
}

export interface Unopened {
  readonly kind: "unopened";
  readonly status: 403 | 502 | 503;
  readonly verdict: Verdict;
}

/** Connects, with TLS if the request arrived in decrypted TLS. */
export async function openUpstream(
  { hostAccess, dialler, policy, interception }: ProxyContext,
  target: ForwardTarget,
): Promise<UpstreamConnection | Unopened> {
  const dialled = hostAccess?.names.has(target.host)
    ? await openHost(target.port)
    : await dialler.dial(target.host, target.port, target.protocol, policy());
  if (dialled.kind === "refused") {
    return { kind: "unopened", status: 403, verdict: dialled.verdict };
  }
  if (dialled.kind === "failed") return unreachable(503, dialled.reason);
  const { socket, parentHeaders } = dialled;
  const destination = destinationOf(socket);
  if (target.protocol === "http" || !interception) {
    return {
      kind: "open",
      stream: socket,
      destination,
      ...(parentHeaders ? { parentHeaders } : {}),
    };
  }
  const secured = await secure(socket, target.host, interception.trust);
  return typeof secured === "string"
    ? unreachable(502, secured)
    : { kind: "open", stream: secured, destination };
}

function unreachable(status: 502 | 503, reason: string): Unopened {
  return { kind: "unopened", status, verdict: { allowed: true, rule: "unreachable", reason } };
}

/** Checks the origin's certificate on the client's behalf. Resolves with the reason on failure. */
export function secure(
  socket: Socket,
  servername: string,
  secureContext: NonNullable<ProxyContext["interception"]>["trust"],
  protocols: readonly string[] = ["http/1.1"],
): Promise<TLSSocket | string> {
  return new Promise((resolve) => {
    const ALPNProtocols = [...protocols];
    const secured = connectTls({ socket, servername, secureContext, ALPNProtocols });
    secured.once("error", (error: NodeJS.ErrnoException) => {
      secured.destroy();
      resolve(`the origin's TLS cannot be trusted: ${error.code ?? error.message}`);
    });
    secured.once("secureConnect", () => resolve(secured));
  });
}

/** The forwarded request with its credentials; the caller pipes its body. */
export function forward(
  { credentials }: Pick<ProxyContext, "credentials">,
  incoming: IncomingMessage,
  target: ForwardTarget,
  { stream, parentHeaders }: UpstreamConnection,
  upgrade: boolean,
): ClientRequest {
  const kept = withoutHopByHop(incoming.rawHeaders, { keepUpgrade: upgrade });
  sayHost(kept, target);
  const headers = credentials?.covers(target) ? credentials.inRawHeaders(target, kept) : kept;
  if (!upgrade) headers.push("Connection", "close");
  const passedOn = request({
    method: incoming.method,
    path: parentHeaders ? target.url : target.path,
    headers: [...headers, ...(parentHeaders ?? [])],
    setHost: false,
    createConnection: () => stream,
  });
  // A request without a body has none with any method.
  if (!carriesBody(incoming)) passedOn.useChunkedEncodingByDefault = false;
  return passedOn;
}

/** The head as text, for a request without a body that does not use Node's client. */
export function requestHead(
  { credentials }: Pick<ProxyContext, "credentials">,
  { method, rawHeaders }: { readonly method: string; readonly rawHeaders: readonly string[] },
  target: ForwardTarget,
  { parentHeaders }: UpstreamConnection,
): string {
  const kept = withoutHopByHop(rawHeaders);
  sayHost(kept, target);
  const headers = credentials?.covers(target) ? credentials.inRawHeaders(target, kept) : kept;
  if (parentHeaders) headers.push(...parentHeaders);
  let text = `${method} ${parentHeaders ? target.url : target.path} HTTP/1.1\r\n`;
  for (let index = 0; index < headers.length; index += 2) {
    text += `${headers[index]}: ${headers[index + 1]}\r\n`;
  }
  return `${text}Connection: close\r\n\r\n`;
}

function sayHost(headers: string[], target: ForwardTarget): void {
  const at = headers.findIndex((text, index) => index % 2 === 0 && text.toLowerCase() === "host");
  if (at < 0) headers.push("Host", hostFor(target));
  else headers[at + 1] = hostFor(target, headers[at + 1]);
}

/**
 * Keeps the client's `Host` if it is the canonical spelling of the checked host, so that no origin reads another name.
 */
export function hostFor({ host, port, protocol }: ForwardTarget, written = ""): string {
  const name = host.includes(":") ? `[${host}]` : host;
  const whole = `${name}:${port}`;
  const usual = port === (protocol === "https" ? 443 : 80);
  const known = written.toLowerCase() === whole || (usual && written.toLowerCase() === name);
  if (known) return written;
  return usual ? name : whole;
}

/** Status line and headers as received. */
export function headBytes(response: IncomingMessage): string {
  const lines: string[] = [];
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    lines.push(`${response.rawHeaders[index]}: ${response.rawHeaders[index + 1]}\r\n`);
  }
  return `HTTP/1.1 ${response.statusCode} ${response.statusMessage}\r\n${lines.join("")}\r\n`;
}
