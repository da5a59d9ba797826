/** A TLS listener under test, and clients that speak HTTP/2 with it. */
import {
  type ClientHttp2Session,
  type ClientHttp2Stream,
  connect,
  constants,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect as connectTls, type TLSSocket } from "node:tls";
import type { ExecutionContext } from "ava";
import type { RequestHandler, RouteOptions } from "../../daemon/http/contract.js";
import { createListeners } from "../../daemon/http/listeners/listeners.js";
import { KeptLog } from "../../daemon/http/testing/kept-log.js";
import { authority } from "./certificates.js";

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, unknown>>;
  readonly body: string;
}

/** A TLS listener with one handler, and clients of HTTP/2 for it. */
export async function serve(
  t: ExecutionContext,
  handler: RequestHandler,
  options: Partial<RouteOptions> & { readonly http2?: boolean } = {},
) {
  const ca = await authority(t);
  const own = await ca.issue("server");
  const listeners = await createListeners({ log: new KeptLog(), environment: {} });
  t.teardown(() => listeners.close(AbortSignal.abort()));
  const { http2 = true, ...more } = options;
  const route = await listeners.claim(
    {
      ...{ listen: "127.0.0.1:0", prefix: "/", owner: "test", requestTimeout: 30_000, ...more },
      tls: { cert: own.certPath, key: own.keyPath, http2 },
    },
    handler,
  );
  route.activate();
  const sockets: TLSSocket[] = [];
  const open = (): ClientHttp2Session => {
    const session = connect(`https://${route.address}`, {
      createConnection: ({ hostname, port }) => {
        const own = { host: hostname, port: Number(port), ca: ca.cert, ALPNProtocols: ["h2"] };
        const socket = connectTls(own);
        sockets.push(socket);
        return socket;
      },
    });
    session.on("error", () => undefined);
    t.teardown(() => session.destroy());
    return session;
  };
  return { listeners, ca, address: route.address, open, sockets };
}

export function begin(
  session: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  isWhole = false,
): ClientHttp2Stream {
  const stream = session.request(headers, { endStream: isWhole });
  stream.on("error", () => undefined);
  return stream;
}

/** Rejects with the code where the stream is refused or reset. */
export async function answerOf(stream: ClientHttp2Stream): Promise<Answer> {
  let [headers, body] = [{} as Record<string, unknown>, ""];
  stream.on("response", (received) => {
    headers = received;
  });
  stream.setEncoding("utf8").on("data", (text) => {
    body += text;
  });
  await new Promise((resolve) => stream.once("close", resolve));
  if (stream.rstCode !== constants.NGHTTP2_NO_ERROR) throw new Refused(stream.rstCode);
  return { status: Number(headers[":status"]), headers, body };
}

export class Refused extends Error {
  constructor(readonly code: number | undefined) {
    super(`The stream ended with the code ${code}.`);
  }
}

export function send(
  session: ClientHttp2Session,
  path: string,
  headers = {},
  body = "",
): Promise<Answer> {
  const stream = begin(session, { ":path": path, ...headers }, body === "");
  if (body !== "") stream.end(body);
  return answerOf(stream);
}
