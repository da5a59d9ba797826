/** Plain requests on real connections to the proxy and to an origin with fixed responses. */
import { once } from "node:events";
import { type AddressInfo, connect, createServer, type Server } from "node:net";
import test, { type ExecutionContext } from "ava";
import { eventually, turns } from "../../../tests/support/eventually.js";
import type { AccessRecord } from "../log/entry.js";
import { Policy } from "../policy/policy.js";
import { open } from "./dial.js";
import { serveProxy } from "./serve.js";

async function listening(server: Server): Promise<number> {
  await once(server.listen(0, "127.0.0.1"), "listening");
  return (server.address() as AddressInfo).port;
}

interface Origin {
  /** Sent in order; the connection ends after the last one unless `stays`. */
  readonly says: readonly string[];
  readonly stays?: boolean;
}

async function proxied(t: ExecutionContext, { says, stays = false }: Origin) {
  const requests: string[] = [];
  const closed: Array<Promise<unknown>> = [];
  const origin = createServer({ noDelay: true }, (socket) => {
    socket.on("error", () => {});
    closed.push(once(socket, "close"));
    socket.once("data", async (bytes) => {
      requests.push(bytes.toString("latin1"));
      for (const piece of says) {
        socket.write(piece, "latin1");
        await turns(10);
      }
      if (!stays) socket.end();
    });
  });
  const port = await listening(origin);
  const listeners = { proxy: createServer(), web: createServer(), tls: createServer() };
  const records: AccessRecord[] = [];
  const policy = Policy.parse({ allow: ["allowed.test"], block: [] });
  const proxy = serveProxy(
    { ...listeners, host: new Map(), ports: new Map(), dnsTcp: new Map(), dnsUdp: new Map() },
    {
      policy: () => policy,
      dialler: { dial: () => open(["127.0.0.1"], port) },
      record: (record) => records.push(record),
      requester: () => undefined,
    },
    { servers: [], fallBack: [] },
  );
  const entrance = await listening(listeners.proxy);
  t.teardown(async () => {
    await proxy.close();
    for (const server of [origin, ...Object.values(listeners)])
      if (server.listening) server.close();
  });
  return {
    requests,
    closed,
    records,
    connect: () => connect({ host: "127.0.0.1", port: entrance }),
  };
}

async function receiveAll(client: AsyncIterable<unknown>): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of client) parts.push(part as Buffer);
  return Buffer.concat(parts).toString("latin1");
}

const get = "GET http://allowed.test/a HTTP/1.1\r\nHost: allowed.test\r\n";
const ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: close\r\n\r\nok";
const bad = "HTTP/1.1 502 Bad Gateway\r\ncontent-length: 0\r\nconnection: close\r\n\r\n";

for (const [what, origin, expected] of [
  ["in one piece", { says: ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"] }, ok],
  ["in many", { says: [..."HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"] }, ok],
  [
    "from an origin that keeps the connection",
    {
      says: ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\nConnection: keep-alive\r\n\r\nok"],
      stays: true,
    },
    ok,
  ],
  ["with more behind it", { says: ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok?!"] }, ok],
  [
    "up to the end of the connection",
    { says: ["HTTP/1.0 200 OK\r\n\r\n", "a", "b"] },
    "HTTP/1.1 200 OK\r\nConnection: close\r\n\r\nab",
  ],
  [
    "in chunks",
    { says: ["HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n", "a\r\n0\r\n\r\n"] },
    "HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n1\r\na\r\n0\r\n\r\n",
  ],
  [
    "after an early hint",
    {
      says: [
        "HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\nHTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok",
      ],
    },
    `HTTP/1.1 103 Early Hints\r\nLink: </a>\r\n\r\n${ok}`,
  ],
  ["that is none", { says: ["SSH-2.0-x\r\n\r\n"], stays: true }, bad],
  ["that never comes", { says: [] }, bad],
  ["that breaks off in its head", { says: ["HTTP/1.1 200 OK\r\nContent-"] }, bad],
] as const) {
  test(`a response ${what}`, async (t) => {
    const { requests, records, ...proxy } = await proxied(t, origin);
    const client = proxy.connect();
    client.write(`${get}Proxy-Connection: keep-alive\r\nX-A: b\r\n\r\n`);
    t.is(await receiveAll(client), expected);
    t.deepEqual(requests, [
      "GET /a HTTP/1.1\r\nHost: allowed.test\r\nX-A: b\r\nConnection: close\r\n\r\n",
    ]);
    await eventually("the record", () => records.length > 0);
    t.is(records.length, 1);
    const status = expected === bad ? 502 : 200;
    t.like(records[0], {
      statusCode: status,
      rule: "allow-both-plain",
      bytesReceived: expected.length,
    });
  });
}

test("a response with an incomplete body does not look complete", async (t) => {
  const proxy = await proxied(t, { says: ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nok"] });
  const client = proxy.connect();
  client.write(`${get}\r\n`);
  t.regex(await receiveAll(client), /Content-Length: 5\r\nConnection: close\r\n\r\nok$/);
});

test("a response to HEAD ends with its head", async (t) => {
  const says = ["HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\n"];
  const proxy = await proxied(t, { says, stays: true });
  const client = proxy.connect();
  client.write(`${get.replace("GET", "HEAD")}\r\n`);
  t.regex(await receiveAll(client), /Content-Length: 5\r\nConnection: close\r\n\r\n$/);
});

test("bytes after a request reach no origin", async (t) => {
  const says = ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n", "ok"];
  const { requests, records, ...proxy } = await proxied(t, { says });
  const client = proxy.connect();
  client.write(`${get}\r\n`);
  client.once("data", () => client.write(get.replace("/a", "/second")));
  t.is(await receiveAll(client), ok);
  await eventually("the record", () => records.length > 0);
  t.is(requests.length, 1);
  t.is(records.length, 1);
});

test("bytes after a complete response do no harm in Node's server either", async (t) => {
  const says = ["HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok?!"];
  const { requests, ...proxy } = await proxied(t, { says });
  const client = proxy.connect();
  client.write(`${get.replace("GET", "POST")}Connection: close\r\nContent-Length: 2\r\n\r\nhi`);
  t.regex(await receiveAll(client), /^HTTP\/1\.1 200 OK\r\n[\s\S]*\r\n\r\nok$/);
  t.is(requests.length, 1);
});

test("a client that leaves before the origin agrees to WebSocket closes the connection to it", async (t) => {
  const { requests, closed, records, ...proxy } = await proxied(t, { says: [], stays: true });
  const client = proxy.connect();
  client.write(`${get}Upgrade: websocket\r\nConnection: Upgrade\r\n\r\nearly`);
  await eventually("the request", () => requests.length > 0);
  client.end();
  await closed[0];
  await eventually("the record", () => records.length > 0);
  t.is(records[0]?.statusCode, 502);
});

test("a client that leaves closes the connection to the origin", async (t) => {
  const says = ["HTTP/1.1 200 OK\r\n\r\nbegun"];
  const { closed, records, ...proxy } = await proxied(t, { says, stays: true });
  const client = proxy.connect();
  client.write(`${get}\r\n`);
  await once(client, "data");
  client.destroy();
  await closed[0];
  await eventually("the record", () => records.length > 0);
  t.is(records[0]?.statusCode, 200);
});

test("a slow client gets all of a long response while the origin waits", async (t) => {
  const size = 8 * 1024 * 1024;
  const says = [`HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\n\r\n`, "x".repeat(size)];
  const proxy = await proxied(t, { says });
  const client = proxy.connect();
  client.write(`${get}\r\n`);
  let got = 0;
  for await (const part of client) {
    got += part.length;
    if (got % 7 === 0) await turns(5);
  }
  t.is(
    got,
    size + `HTTP/1.1 200 OK\r\nContent-Length: ${size}\r\nConnection: close\r\n\r\n`.length,
  );
});
