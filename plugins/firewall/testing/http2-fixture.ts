/** A proxy that decrypts TLS and an HTTP/2 origin behind it, on real connections of this process. */
import { once } from "node:events";
import { createSecureServer } from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { createSecureContext } from "node:tls";
import type { AccessRecord } from "../log/entry.js";
import { Policy } from "../policy/policy.js";
import { Authority } from "../proxy/certificates.js";
import type { ProxySettings } from "../proxy/context.js";
import { open } from "../proxy/dial.js";
import { serveProxy } from "../proxy/serve.js";

interface Teardown {
  teardown(end: () => void | Promise<void>): void;
}

export interface Http2Fixture {
  /** For a program that uses no proxy. */
  readonly port: number;
  /** The proxy's authority, PEM. */
  readonly authority: string;
  readonly records: AccessRecord[];
  /** Method and path of each request at the origin. */
  readonly requests: string[];
  /** Open connections of clients to the proxy. */
  readonly open: () => Promise<number>;
  /** How many connections the origin has accepted. */
  readonly connections: () => number;
}

/** An origin that responds with the request, with trailers; `/reset` resets the stream. */
async function origin(
  t: Teardown,
  protocols: string[],
): Promise<{ port: number; ca: string; connections: () => number; requests: string[] }> {
  const authority = await Authority.create("origin");
  const identity = await authority.issue("allowed.test");
  let connections = 0;
  const requests: string[] = [];
  const server = protocols.includes("h2")
    ? createSecureServer({ ...identity, allowHTTP1: true })
    : createHttpsServer(identity);
  server.on("connection", () => {
    connections += 1;
  });
  server.on("request", (request, response) => {
    requests.push(`${request.method} ${request.url}`);
    if (request.url === "/reset") return response.stream.close(8);
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      const { headers, trailers, httpVersion, method, url } = request;
      const body = {
        headers,
        trailers,
        httpVersion,
        method,
        url,
        body: Buffer.concat(parts).toString(),
      };
      if (httpVersion === "2.0") response.addTrailers({ "grpc-status": "0" });
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify(body));
    });
  });
  const sessions = new Set<{ destroy(): void }>();
  server.on("session", (session) => sessions.add(session));
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => {
    for (const session of sessions) session.destroy();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { port, ca: authority.certificate, connections: () => connections, requests };
}

export async function startHttp2Fixture(
  t: Teardown,
  urls: string[] = [],
  protocols = ["h2", "http/1.1"],
  unreachable = false,
  further: Partial<ProxySettings> = {},
): Promise<Http2Fixture> {
  const { port, ca, connections, requests } = await origin(t, protocols);
  const authority = await Authority.create("proxy");
  const policy = Policy.parse({ allow: urls.length > 0 ? [] : ["allowed.test"], block: [], urls });
  const records: AccessRecord[] = [];
  const listeners = { proxy: createServer(), web: createServer(), tls: createServer() };
  const proxy = serveProxy(
    { ...listeners, host: new Map(), ports: new Map(), dnsTcp: new Map(), dnsUdp: new Map() },
    {
      policy: () => policy,
      dialler: {
        dial: () =>
          unreachable
            ? Promise.resolve({ kind: "failed", reason: "connection refused" })
            : open(["127.0.0.1"], port),
      },
      record: (record) => records.push(record),
      requester: () => undefined,
      ...further,
      interception: {
        contextFor: (name) => authority.contextFor(name),
        trust: createSecureContext({ ca }),
      },
    },
    { servers: [], fallBack: [] },
  );
  listeners.tls.listen(0, "127.0.0.1");
  await once(listeners.tls, "listening");
  t.teardown(async () => {
    await proxy.close();
    listeners.tls.close();
  });
  const own = (listeners.tls.address() as AddressInfo).port;
  const count = () =>
    new Promise<number>((resolve) => listeners.tls.getConnections((_, open) => resolve(open)));
  return {
    port: own,
    authority: authority.certificate,
    records,
    connections,
    requests,
    open: count,
  };
}
