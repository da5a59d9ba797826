/** One address cannot keep others out. */
import { EventEmitter, once } from "node:events";
import type { IncomingMessage, ServerResponse } from "node:http";
import { connect, type Socket } from "node:net";
import test, { type ExecutionContext } from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import type { SourceLimits } from "../../plugin-api/http.js";
import type { RequestHandler } from "../contract.js";
import { KeptLog } from "../testing/kept-log.js";
import { createListeners } from "./listeners.js";
import { SourceCounts } from "./sources.js";

async function serve(t: ExecutionContext, perSource: SourceLimits, handler?: RequestHandler) {
  const log = new KeptLog();
  const listeners = await createListeners({ log, environment: {} });
  t.teardown(() => listeners.close(AbortSignal.abort()));
  const options = { listen: "0.0.0.0:0", prefix: "/", requestTimeout: 30_000, owner: "test" };
  const route = await listeners.claim(
    { ...options, perSource },
    handler ?? ((_request, response) => void response.end("served")),
  );
  route.activate();
  const port = Number(route.address.split(":").at(-1));
  const open = (from: string): Socket => {
    const socket = connect({ port, host: "127.0.0.1", localAddress: from });
    t.teardown(() => socket.destroy());
    return socket.on("error", () => undefined);
  };
  /** The whole response; empty where the connection is closed instead. */
  const ask = async (from: string): Promise<string> => {
    const socket = open(from);
    socket.write("GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
    let text = "";
    socket.on("data", (data) => {
      text += String(data);
    });
    await once(socket, "close");
    return text;
  };
  return { open, ask, log };
}

test("hundreds of idle connections of one address leave room for others", async (t) => {
  const { open, ask, log } = await serve(t, { connections: 50 });
  const closed = new Set<Socket>();
  const sockets = await new Promise<readonly Socket[]>((resolve) => {
    const all = Array.from({ length: 300 }, () => open("127.0.0.2"));
    for (const socket of all) {
      socket.once("close", () => {
        closed.add(socket);
        if (closed.size === 250) resolve(all);
      });
    }
  });
  t.regex(await ask("127.0.0.3"), /^HTTP\/1\.1 200 /);
  t.is(await ask("127.0.0.2"), "");
  t.is(closed.size, 250);
  t.is(log.lines.filter((line) => JSON.stringify(line).includes("too many open")).length, 1);

  for (const socket of sockets) socket.destroy();
  const answer = await eventually("an answer", async () => (await ask("127.0.0.2")) || undefined);
  t.regex(answer, /^HTTP\/1\.1 200 /);
});

test("proxies that are trusted are not limited", async (t) => {
  const { open, ask } = await serve(t, { connections: 5, exempt: ["127.0.0.4", "127.0.1.0/24"] });
  for (const from of ["127.0.0.4", "127.0.1.9"]) {
    const sockets = Array.from({ length: 20 }, () => open(from));
    t.regex(await ask(from), /^HTTP\/1\.1 200 /);
    t.false(sockets.some(({ closed }) => closed));
  }
});

test("requests in progress are counted by address, and more get 429", async (t) => {
  const waiting: ServerResponse[] = [];
  const arrived = new EventEmitter();
  const { ask } = await serve(t, { requests: 3 }, (_request, response) => {
    waiting.push(response);
    arrived.emit("request");
  });
  const held = [];
  for (let each = 0; each < 3; each += 1) {
    const next = once(arrived, "request");
    held.push(ask("127.0.0.2"));
    await next;
  }
  const refused = await ask("127.0.0.2");
  t.regex(refused, /^HTTP\/1\.1 429 /);
  t.regex(refused, /retry-after: 1/i);
  const next = once(arrived, "request");
  const other = ask("127.0.0.3");
  await next;
  for (const response of waiting.splice(0)) response.end("done");
  for (const answer of await Promise.all([...held, other])) t.regex(answer, /^HTTP\/1\.1 200 /);

  const again = once(arrived, "request");
  const last = ask("127.0.0.2");
  await again;
  waiting[0]?.end("done");
  t.regex(await last, /^HTTP\/1\.1 200 /);
});

const from = (remoteAddress: string | undefined): Socket =>
  Object.assign(new EventEmitter(), { remoteAddress }) as unknown as Socket;

for (const [first, second, isOne] of [
  ["2001:db8::1", "2001:db8::ffff", true],
  ["2001:db8::1", "2001:db8:0:0:1:2:3:4", true],
  ["2001:db8::1", "2001:db8:0:1::1", false],
  ["192.0.2.1", "::ffff:192.0.2.1", true],
  ["192.0.2.1", "192.0.2.2", false],
  ["fe80::1%eth0", "fe80::2%eth0", true],
  [undefined, undefined, false],
] as const) {
  test(`${first} and ${second} count as ${isOne ? "one source" : "two"}`, (t) => {
    const sources = new SourceCounts();
    sources.configure([{ connections: 1 }]);
    t.true(sources.connect(from(first)));
    t.is(sources.connect(from(second)), !isOne);
  });
}

test("the widest limits of all claims hold, and a closed connection counts no more", (t) => {
  const sources = new SourceCounts();
  sources.configure([{ connections: 1 }, { connections: 2, requests: 1 }]);
  const [one, two] = [from("192.0.2.1"), from("192.0.2.1")];
  t.deepEqual(
    [one, two, from("192.0.2.1")].map((each) => sources.connect(each)),
    [true, true, false],
  );
  one.emit("close");
  t.true(sources.connect(from("192.0.2.1")));
  const begin = () =>
    sources.begin({ socket: two } as IncomingMessage, new EventEmitter() as ServerResponse);
  t.true(begin(), "another claim has the default");
});
