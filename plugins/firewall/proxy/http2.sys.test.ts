/** HTTP/2 through decrypted TLS, between real clients and a real origin. */
import { once } from "node:events";
import {
  type ClientHttp2Session,
  connect as connectHttp2,
  type IncomingHttpHeaders,
  type IncomingHttpStatusHeader,
  type OutgoingHttpHeaders,
} from "node:http2";
import { connect } from "node:net";
import { connect as connectTls } from "node:tls";
import test, { type ExecutionContext } from "ava";
import { run } from "../../../tests/support/child.js";
import { eventually } from "../../../tests/support/eventually.js";
import { type Http2Fixture, startHttp2Fixture } from "../testing/http2-fixture.js";
import { CredentialInjector } from "./credentials.js";
import { RequestLimiter } from "./request-limiter.js";
import { SecretScanner } from "./secret-scanner.js";

interface Answer {
  readonly headers: IncomingHttpHeaders & IncomingHttpStatusHeader;
  readonly trailers: IncomingHttpHeaders;
  readonly body: string;
}

function session(t: ExecutionContext, { port, authority }: Http2Fixture): ClientHttp2Session {
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

test("a request arrives unchanged, its response has its trailers, and both are logged", async (t) => {
  const all = await startHttp2Fixture(t);
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
  await eventually("the records", () => all.records.length > 0);
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
  const all = await startHttp2Fixture(t, ["https://allowed.test/open/*"]);
  const client = session(t, all);
  const sent = Array.from({ length: 100 }, (_, index) =>
    ask(client, { ":path": index % 2 === 0 ? `/open/${index}` : `/shut/${index}` }),
  );
  const answers = await Promise.all(sent);
  const statuses = answers.map(({ headers }) => headers[":status"]);
  t.deepEqual(
    statuses,
    answers.map((_, index) => (index % 2 === 0 ? 200 : 403)),
  );
  t.regex(answers[1]?.body ?? "", /rule deny-url/);
  t.is(all.connections(), 1);
  await eventually("the records", () => all.records.length === 100);
});

test("the proxy does not connect to the origin before a URL is allowed", async (t) => {
  const all = await startHttp2Fixture(t, ["https://allowed.test/open/*"]);
  const client = session(t, all);
  t.is((await ask(client, { ":path": "/shut" })).headers[":status"], 403);
  t.is(all.connections(), 0);
  t.is((await ask(client, { ":path": "/open/1" })).headers[":status"], 200);
  t.is(all.connections(), 1);
});

test("a client that leaves without any HTTP/2 closes its connection", async (t) => {
  for (const how of ["end", "destroy"] as const) {
    const all = await startHttp2Fixture(t, ["https://allowed.test/open/*"]);
    const client = connectTls({
      socket: connect(all.port, "127.0.0.1"),
      servername: "allowed.test",
      ca: all.authority,
      ALPNProtocols: ["h2"],
    });
    await once(client, "secureConnect");
    client.write("PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n");
    client.write(Buffer.from([0, 0, 0, 4, 0, 0, 0, 0, 0]));
    await once(client, "data");
    client.resume()[how]();
    await t.notThrowsAsync(
      eventually("the connection to close", async () => (await all.open()) === 0),
    );
  }
});

test("an origin without HTTP/2 gets HTTP/1.1", async (t) => {
  const all = await startHttp2Fixture(t, ["https://allowed.test/open/*"], ["http/1.1"]);
  const client = session(t, all);
  t.is((await ask(client, { ":path": "/shut" })).headers[":status"], 403);
  t.is(all.connections(), 0);
  const got = await ask(client, { ":path": "/open/1", te: "trailers" });
  t.is(got.headers[":status"], 200);
  t.is(got.headers["transfer-encoding"], undefined);
  t.like(JSON.parse(got.body), { httpVersion: "1.1", method: "GET", url: "/open/1", body: "" });
  const said = await ask(client, { ":path": "/open/2", ":method": "POST" }, { body: "hello" });
  t.like(JSON.parse(said.body), {
    ...{ method: "POST", body: "hello" },
    headers: { host: "allowed.test:443", "transfer-encoding": "chunked", connection: "close" },
  });
  // The body of a GET request ends as well.
  const odd = await ask(client, { ":path": "/open/3" }, { body: "GET /shut HTTP/1.1" });
  t.like(JSON.parse(odd.body), { method: "GET", body: "GET /shut HTTP/1.1" });
  await eventually("the records", () => all.records.length === 4);
  t.deepEqual(
    all.records.map(({ statusCode }) => statusCode),
    [403, 200, 200, 200],
  );
});

test("an unreachable origin gives the same response as over HTTP/1.1", async (t) => {
  const all = await startHttp2Fixture(t, ["https://allowed.test/open/*"], ["http/1.1"], true);
  const { headers, body } = await ask(session(t, all), { ":path": "/open/1" });
  t.is(headers[":status"], 503);
  t.regex(body, /connection refused/);
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
  test(`a request for ${what} inside gets ${status}`, async (t) => {
    const all = await startHttp2Fixture(t);
    const tunnel = headers[":method"] === "CONNECT";
    const answer = await ask(session(t, all), tunnel ? headers : { ":path": "/", ...headers });
    t.is(answer.headers[":status"], status);
    t.like(all.records[0], { statusCode: status });
  });
}

test("an incomplete response is aborted", async (t) => {
  const all = await startHttp2Fixture(t);
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
    const all = await startHttp2Fixture(t, [], [...protocols]);
    const { stdout } = await run("curl", [
      ...["-sk", "--http2", "--data", "a=b", "-w", " %{http_version} %{http_code}"],
      ...["--connect-to", `allowed.test:443:127.0.0.1:${all.port}`, "https://allowed.test/x"],
    ]);
    const [, body = "{}", said] = /^(.*) (\S+ \S+)$/.exec(stdout) ?? [];
    t.is(said, `${version} 200`);
    t.like(JSON.parse(body), { method: "POST", url: "/x", body: "a=b" });
  }
});

const token = "ghp_0123456789abcdefghijklmnopqrstuvwxyz";
for (const protocols of [["h2", "http/1.1"], ["http/1.1"]]) {
  test(`a request gets the credential of its host, to an origin with ${protocols[0]}`, async (t) => {
    const destinations = [{ protocol: "https", host: "allowed.test", port: 443 }] as const;
    const credentials = new CredentialInjector([
      { destinations, headers: ["authorization", "x-api-key"], placeholder: "PLACE", value: token },
      { destinations, headers: ["X-Own"], value: "own" },
    ]);
    const urls = ["https://allowed.test/*"];
    const all = await startHttp2Fixture(t, urls, protocols, false, { credentials });
    const fields = {
      authorization: `Basic ${btoa("x:PLACE")}`,
      "x-api-key": "PLACE",
      "x-other": "PLACE",
      "x-own": "theirs",
    };
    const { body } = await ask(session(t, all), { ":path": "/PLACE", ...fields });
    const { headers, url } = JSON.parse(body) as { headers: Record<string, string>; url: string };
    t.like(headers, {
      authorization: `Basic ${btoa(`x:${token}`)}`,
      "x-api-key": token,
      "x-other": "PLACE",
      "x-own": "own",
    });
    t.is(url, "/PLACE");
    t.false(JSON.stringify(all.records).includes(token));
  });
}

for (const protocols of [["h2", "http/1.1"], ["http/1.1"]]) {
  const urls = ["https://allowed.test/*"];
  test(`limits and secrets are refused, to an origin with ${protocols[0]}`, async (t) => {
    const secrets = new SecretScanner([{ name: "PHRASE", value: "open-sesame" }], []);
    const limiter = new RequestLimiter([{ requestsPerMinute: 3, bytesPerMinute: 100_000 }]);
    const all = await startHttp2Fixture(t, urls, protocols, false, { secrets, limiter });
    const client = session(t, all);
    const post = async (path: string, body: string) =>
      (await ask(client, { ":path": path, ":method": "POST" }, { body })).headers;
    t.like(await post("/?q=open-sesame", ""), { ":status": 403 });
    t.like(await post("/a", "plain"), { ":status": 200 });
    t.like(await post("/b", `${"-".repeat(5000)}open-sesame`), { ":status": 403 });
    t.like(await post("/c", "-".repeat(200_000)), { ":status": 429 });
    const late = await post("/d", "");
    t.is(late[":status"], 429);
    t.regex(String(late["retry-after"]), /^\d+$/);
    // A refused body is recorded when its stream has closed.
    await eventually("five records", () => all.records.length >= 5);
    const rules = all.records.map(({ rule, statusCode }) => `${rule} ${statusCode}`);
    t.deepEqual(rules.toSorted(), [
      "allow-url 200",
      "deny-bytes-limit 429",
      "deny-requests-limit 429",
      "deny-secret 403",
      "deny-secret 403",
    ]);
    t.false(JSON.stringify(all.records).includes("sesame"));
  });
}
