/** HTTP/2 beside HTTP/1.1 on one TLS listener: what handlers see, limits, and a graceful end. */
import { once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { constants } from "node:http2";
import { request as request1 } from "node:https";
import test from "ava";
import type { RequestHandler } from "../../daemon/http/contract.js";
import { eventually, remains, turns } from "../support/eventually.js";
import { type Answer, answerOf, begin, type Refused, send, serve } from "./http2-client.js";

/** What `mirror` responds with. */
interface Seen {
  readonly headers: Record<string, string>;
  rawHeaders: unknown;
}

function send1(
  address: string,
  ca: string,
  path: string,
  headers = {},
  body = "",
): Promise<Answer> {
  const [hostname, port] = address.split(":");
  return new Promise((resolve, reject) => {
    const sent = request1(
      { hostname, port, path, ca, agent: false, headers, method: body ? "POST" : "GET" },
      async (response) => {
        const text = (await response.setEncoding("utf8").toArray()).join("");
        resolve({ status: response.statusCode ?? 0, headers: response.headers, body: text });
      },
    );
    sent.once("error", reject).end(body);
  });
}

/** Responds with what it sees. */
const mirror: RequestHandler = (request, response) => {
  void reflect(request, response);
};

async function reflect(request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { method, url, headers, rawHeaders, socket } = request;
  const body = (await request.setEncoding("utf8").toArray()).join("");
  const seen = { method, url, headers, rawHeaders, body, from: socket.remoteAddress };
  response.setHeader("Connection", "close");
  response.writeHead(201, { "Content-Type": "application/json", "Keep-Alive": "timeout=1" });
  response.end(JSON.stringify(seen));
}

test("a handler sees the same request in both versions", async (t) => {
  const { address, ca, open } = await serve(t, mirror);
  const headers = {
    "x-a": "1",
    constructor: "2",
    cookie: "a=1; b=2",
    "content-type": "text/plain",
  };
  for (const [method, body] of [
    ["GET", ""],
    ["POST", "text"],
    ["POST", "long".repeat(50_000)],
  ] as const) {
    const length = body === "" ? {} : { "content-length": body.length };
    const one = await send1(address, ca.cert, "/a/../b?x=%41&x", { ...headers, ...length }, body);
    const two = await send(
      open(),
      "/a/../b?x=%41&x",
      { ":method": method, ...headers, ...length },
      body,
    );
    t.deepEqual([one.status, two.status], [201, 201]);
    const [first, second] = [one, two].map(({ body: text }) => JSON.parse(text)) as [Seen, Seen];
    delete first.headers.connection;
    first.rawHeaders = pairs(first.rawHeaders as string[]).filter(
      ([name]) => name !== "connection",
    );
    second.rawHeaders = pairs(second.rawHeaders as string[]);
    if (body === "") t.is(second.headers["transfer-encoding"], undefined);
    t.deepEqual(second, first);
    t.deepEqual([two.headers.connection, two.headers["keep-alive"]], [undefined, undefined]);
  }
});

const pairs = (raw: readonly string[]): ReadonlyArray<readonly [string, string]> =>
  raw
    .flatMap((name, at) => (at % 2 ? [] : [[name.toLowerCase(), raw[at + 1] ?? ""] as const]))
    .sort(([one], [other]) => one.localeCompare(other));

test("the authority is the host, also where a `host` field disagrees", async (t) => {
  const { address, open } = await serve(t, mirror);
  const seen = JSON.parse(
    (await send(open(), "/", { ":authority": address, host: "evil.test" })).body,
  );
  t.is(seen.headers.host, address);
  t.deepEqual(
    pairs(seen.rawHeaders).filter(([name]) => name === "host"),
    [["host", address]],
  );
  const { code } = (await t.throwsAsync(send(open(), "/", { ":authority": "a b" }))) as Refused;
  t.is(code, constants.NGHTTP2_PROTOCOL_ERROR);
});

test("a body without an announced length is received whole, or not at all", async (t) => {
  const outcomes: unknown[] = [];
  let started = 0;
  const { open, sockets } = await serve(t, (request, response) => {
    started += 1;
    const whole = request.toArray().then((chunks) => Buffer.concat(chunks).length);
    whole
      .catch(() => "broken")
      .then((outcome) => {
        outcomes.push(outcome);
        response.end(String(outcome));
      });
  });
  t.is((await send(open(), "/", { ":method": "POST" }, "12345")).body, "5");
  const stream = begin(open(), { ":path": "/", ":method": "POST" });
  stream.write("12345");
  await eventually("the second request", () => started >= 2);
  sockets.at(-1)?.destroy();
  await eventually("its end", () => outcomes.length >= 2);
  t.deepEqual(outcomes, [5, "broken"]);
});

test("clients of HTTP/1.1 are served as before, and HTTP/2 can be turned off", async (t) => {
  const { address, ca, open } = await serve(t, mirror, { http2: false });
  t.is((await send1(address, ca.cert, "/")).status, 201);
  const [error] = await once(open(), "error");
  t.truthy(error);
});

test("headers beyond the limit, and a body that does not arrive, are refused", async (t) => {
  const { open } = await serve(t, mirror, { headerLimit: 2000, requestTimeout: 100 });
  t.is((await send(open(), "/", { "x-a": "a".repeat(1500) })).status, 201);
  t.is((await send(open(), "/", { "x-a": "a".repeat(20_000) })).status, 431);
  const late = begin(open(), { ":path": "/", ":method": "POST" });
  late.write("the rest follows");
  t.is((await answerOf(late)).status, 408);
  t.is(late.rstCode, constants.NGHTTP2_NO_ERROR);
});

test("a connection has at most 100 requests at a time, an address as many as configured", async (t) => {
  const waiting: Array<() => void> = [];
  const { open } = await serve(
    t,
    (_request, response) => void waiting.push(() => response.end("done")),
    { perSource: { requests: 120 } },
  );
  const [one, two] = [open(), open()];
  await once(one, "remoteSettings");
  t.is(one.remoteSettings.maxConcurrentStreams, 100);
  const first = Array.from({ length: 110 }, () => send(one, "/"));
  await eventually("100 requests", () => waiting.length >= 100);
  const second = Array.from({ length: 30 }, () => send(two, "/"));
  const refused = await Promise.race(second);
  t.is(refused.status, 429);
  t.is(waiting.length, 120);
  let isOver = false;
  const finish = Promise.all([...first, ...second]).finally(() => {
    isOver = true;
  });
  await eventually("all answers", () => {
    for (const respond of waiting.splice(0)) respond();
    return isOver;
  });
  const statuses = (await finish).map(({ status }) => status);
  t.is(statuses.filter((status) => status === 429).length, 10);
  t.is(statuses.filter((status) => status === 200).length, 130);
});

test("a graceful end under load resets no request that was handled", async (t) => {
  let handled = 0;
  const { listeners, open } = await serve(t, (_request, response) => {
    handled += 1;
    void turns(5).then(() => response.end("here"));
  });
  let [answered, refused] = [0, 0];
  const clients = Array.from({ length: 10 }, async () => {
    const session = open();
    let isEnding = false;
    session.once("goaway", () => {
      isEnding = true;
    });
    while (!isEnding && !session.closed) {
      try {
        const { body } = await send(session, "/");
        t.is(body, "here");
        answered += 1;
      } catch (thrown) {
        // Node's client may say goodbye before it sends a request; refused ones were not handled (RFC 9113, 8.7).
        t.is((thrown as Refused).code, constants.NGHTTP2_REFUSED_STREAM);
        refused += 1;
      }
    }
  });
  await eventually("500 requests", () => handled >= 500, { every: 1 });
  await listeners.close(new AbortController().signal);
  await Promise.all(clients);
  t.is(answered, handled);
  t.true(refused <= clients.length, String(refused));
});

test("a long response is finished before the end, unless it is cut", async (t) => {
  for (const isCut of [false, true]) {
    let finish = (): void => undefined;
    const { listeners, open } = await serve(t, (_request, response) => {
      response.write("begin ");
      finish = () => response.end("end");
    });
    const stream = begin(open(), { ":path": "/" }, true);
    const answer = answerOf(stream);
    await once(stream, "response");
    const late = new AbortController();
    const closed = listeners.close(late.signal);
    const body = answer.then(
      ({ body: text }) => text,
      () => "cut",
    );
    await remains("the response goes on", () => !stream.destroyed, 20);
    if (isCut) late.abort();
    else finish();
    t.is(await body, isCut ? "cut" : "begin end");
    await closed;
  }
});
