/** HTTP/2 through intercepted TLS, between real clients and a real origin. */
import { execFile } from "node:child_process";
import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  createSecureServer,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from "node:http2";
import { createServer as createHttpsServer } from "node:https";
import { type AddressInfo, connect, createServer } from "node:net";
import { connect as connectTls, createSecureContext } from "node:tls";
import { promisify } from "node:util";
import test, { type ExecutionContext } from "ava";
import type { AccessRecord } from "../log/entry.js";
import { Policy } from "../policy/policy.js";
import { Authority } from "./certificates.js";
import { open } from "./dial.js";
import { serveProxy } from "./serve.js";

interface House {
  /** Where a program that knows of no proxy arrives. */
  readonly port: number;
  /** PEM of who signs for the proxy. */
  readonly authority: string;
  readonly records: AccessRecord[];
  /** How often the origin was connected to. */
  readonly connections: () => number;
}

interface Answer {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  readonly trailers: IncomingHttpHeaders;
  readonly body: string;
}

/** An origin that says what it was asked, with trailers; `/reset` breaks off. */
async function origin(
  t: ExecutionContext,
  protocols: string[],
): Promise<{ port: number; ca: string; connections: () => number }> {
  const authority = await Authority.create("origin");
  const identity = await authority.issue("allowed.test");
  let connections = 0;
  const server = protocols.includes("h2")
    ? createSecureServer({ ...identity, allowHTTP1: true })
    : createHttpsServer(identity);
  server.on("connection", () => {
    connections += 1;
  });
  server.on("request", (request, response) => {
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
  return { port, ca: authority.certificate, connections: () => connections };
}

async function house(
  t: ExecutionContext,
  urls: string[] = [],
  protocols = ["h2", "http/1.1"],
): Promise<House> {
  const { port, ca, connections } = await origin(t, protocols);
  const authority = await Authority.create("proxy");
  const policy = Policy.parse({ allow: urls.length > 0 ? [] : ["allowed.test"], block: [], urls });
  const records: AccessRecord[] = [];
  const doors = { proxy: createServer(), web: createServer(), tls: createServer() };
  const proxy = serveProxy(
    { ...doors, host: new Map(), dnsTcp: new Map(), dnsUdp: new Map() },
    {
      policy: () => policy,
      dialler: { dial: () => open(["127.0.0.1"], port) },
      record: (record) => records.push(record),
      requester: () => undefined,
      interception: {
        contextFor: (name) => authority.contextFor(name),
        trust: createSecureContext({ ca }),
      },
    },
    { servers: [], fallBack: [] },
  );
  doors.tls.listen(0, "127.0.0.1");
  await once(doors.tls, "listening");
  t.teardown(async () => {
    await proxy.close();
    doors.tls.close();
  });
  const own = (doors.tls.address() as AddressInfo).port;
  return { port: own, authority: authority.certificate, records, connections };
}

function session(t: ExecutionContext, { port, authority }: House): ClientHttp2Session {
  const client = connectHttp2("https://allowed.test", {
    createConnection: () =>
      connectTls({
        socket: connect(port, "127.0.0.1"),
        servername: "allowed.test",
        ca: authority,
        ALPNProtocols: ["h2"],
      }),
  });
  client.on("error", () => {});
  t.teardown(() => client.destroy());
  return client;
}

async function ask(
  client: ClientHttp2Session,
  headers: OutgoingHttpHeaders,
  { body, trailers }: { readonly body?: string; readonly trailers?: OutgoingHttpHeaders } = {},
): Promise<Answer> {
  const stream = client.request(headers, {
    endStream: body === undefined,
    waitForTrailers: trailers !== undefined,
  });
  if (trailers) stream.on("wantTrailers", () => stream.sendTrailers(trailers));
  if (body !== undefined) stream.end(body);
  let last: IncomingHttpHeaders = {};
  stream.on("trailers", (fields) => {
    last = fields;
  });
  const [answered] = (await once(stream, "response")) as [Answer["headers"]];
  const parts: Buffer[] = [];
  for await (const part of stream) parts.push(part as Buffer);
  return { headers: answered, trailers: last, body: Buffer.concat(parts).toString() };
}

test("a request arrives as it was sent, its answer comes with its trailers, and is logged", async (t) => {
  const all = await house(t);
  const { headers, trailers, body } = await ask(
    session(t, all),
    {
      ":path": "/echo.Echo/Say?x=1",
      ":method": "POST",
      "content-type": "application/grpc",
      te: "trailers",
    },
    { body: "hello", trailers: { "x-sum": "5" } },
  );
  t.is(headers[":status"], 200);
  t.is(trailers["grpc-status"], "0");
  t.like(JSON.parse(body), {
    ...{ httpVersion: "2.0", method: "POST", url: "/echo.Echo/Say?x=1", body: "hello" },
    headers: {
      ":authority": "allowed.test:443",
      te: "trailers",
      "content-type": "application/grpc",
    },
    trailers: { "x-sum": "5" },
  });
  await until(() => all.records.length > 0);
  t.like(all.records[0], {
    ...{
      method: "POST",
      protocol: "2.0",
      statusCode: 200,
      url: "https://allowed.test/echo.Echo/Say?x=1",
    },
    ...{
      host: "allowed.test:443",
      decision: "TCP_MISS:HIER_DIRECT",
      bytesSent: 5,
      destIp: "127.0.0.1",
    },
  });
});

test("a hundred requests share a connection, each decided by its own URL", async (t) => {
  const all = await house(t, ["https://allowed.test/open/*"]);
  const client = session(t, all);
  const asked = Array.from({ length: 100 }, (_, index) =>
    ask(client, { ":path": index % 2 === 0 ? `/open/${index}` : `/shut/${index}` }),
  );
  const answers = await Promise.all(asked);
  const statuses = answers.map(({ headers }) => headers[":status"]);
  t.deepEqual(
    statuses,
    answers.map((_, index) => (index % 2 === 0 ? 200 : 403)),
  );
  t.regex(answers[1]?.body ?? "", /rule deny-url/);
  t.is(all.connections(), 1);
  await until(() => all.records.length === 100);
});

const refused: ReadonlyArray<
  readonly [what: string, headers: OutgoingHttpHeaders, status: number]
> = [
  ["another name", { ":authority": "evil.test" }, 403],
  ["another port", { ":authority": "allowed.test:444" }, 403],
  ["another name as Host", { host: "evil.test" }, 403],
  ["two names", { ":authority": "allowed.test", host: "evil.test" }, 400],
  ["a tunnel", { ":method": "CONNECT", ":authority": "allowed.test:443" }, 400],
];
for (const [what, headers, status] of refused) {
  test(`asking for ${what} inside gets ${status}`, async (t) => {
    const all = await house(t);
    const tunnel = headers[":method"] === "CONNECT";
    const answer = await ask(session(t, all), tunnel ? headers : { ":path": "/", ...headers });
    t.is(answer.headers[":status"], status);
    t.like(all.records[0], { statusCode: status });
  });
}

test("an answer that the origin breaks off is broken off", async (t) => {
  const all = await house(t);
  const stream = session(t, all).request({ ":path": "/reset" });
  stream.on("error", () => {});
  const [answered] = (await once(stream, "response")) as [Answer["headers"]];
  t.is(answered[":status"], 502);
});

test("curl speaks HTTP/2 with an origin that does, and HTTP/1.1 with one that does not", async (t) => {
  for (const [protocols, version] of [
    [["h2", "http/1.1"], "2"],
    [["http/1.1"], "1.1"],
  ] as const) {
    const all = await house(t, [], [...protocols]);
    const { stdout } = await promisify(execFile)("curl", [
      ...["-sk", "--http2", "--data", "a=b", "-w", " %{http_version} %{http_code}"],
      ...["--connect-to", `allowed.test:443:127.0.0.1:${all.port}`, "https://allowed.test/x"],
    ]);
    const [, body = "{}", said] = /^(.*) (\S+ \S+)$/.exec(stdout) ?? [];
    t.is(said, `${version} 200`);
    t.like(JSON.parse(body), { method: "POST", url: "/x", body: "a=b" });
  }
});

async function until(holds: () => boolean): Promise<void> {
  while (!holds()) await new Promise((resolve) => setImmediate(resolve));
}
