import { Agent } from "node:http";
import { connect } from "node:net";
import test from "ava";
import { eventually } from "../../../tests/support/eventually.js";
import type { Listeners, RequestHandler, Route } from "../contract.js";
import { ask } from "../testing/client.js";
import { KeptLog } from "../testing/kept-log.js";
import { openListeners, says } from "../testing/open-listeners.js";

async function serve(
  listeners: Listeners,
  listen: string,
  prefix: string,
  handler: RequestHandler,
  owner = "test",
): Promise<Route> {
  const route = await listeners.claim({ listen, prefix, requestTimeout: 30_000, owner }, handler);
  route.activate();
  return route;
}

test("what nobody claimed is answered with a problem", async (t) => {
  const listeners = await openListeners(t);
  const { address } = await serve(listeners, "127.0.0.1:0", "/hooks", says("hooks"));
  const { status, headers, body } = await ask(address, "/other?secret=1");
  t.is(status, 404);
  t.is(headers["content-type"], "application/problem+json");
  t.deepEqual(JSON.parse(body), {
    type: "urn:reeve:not_found",
    title: "Nothing is here",
    status: 404,
    detail:
      "Nothing is configured at `/other`. Paths begin with `/hooks`, for example `/hooks/other`.",
    code: "not_found",
  });
});

test("prefixes of several owners share an address", async (t) => {
  const listeners = await openListeners(t);
  const { address } = await serve(listeners, "127.0.0.1:0", "/a", says("a"), "one");
  await serve(listeners, address, "/b", says("b"), "two");
  t.is((await ask(address, "/a")).body, "a /a");
  t.is((await ask(address, "/b")).body, "b /b");
  t.deepEqual(listeners.list(), [{ address, prefixes: ["/a", "/b"] }]);
});

test("a later claim takes over and no request is lost, on new and on kept connections", async (t) => {
  const listeners = await openListeners(t);
  const agent = new Agent({ keepAlive: true, maxSockets: 8 });
  t.teardown(() => agent.destroy());
  let route = await serve(listeners, "127.0.0.1:0", "/", says("0"));
  const { address } = route;
  const answers: string[] = [];
  let isRunning = true;
  t.teardown(() => {
    isRunning = false;
  });
  const clients = [0, 1, 2, 3, 4, 5].map(async (client) => {
    while (isRunning) {
      const { status, body } = await ask(address, "/", client % 2 ? { agent } : {});
      answers.push(`${status} ${body}`);
    }
  });
  for (let generation = 1; generation <= 20; generation += 1) {
    const before = answers.length;
    const next = await serve(listeners, "127.0.0.1:0", "/", says(String(generation)));
    t.is(next.address, address);
    await route.release();
    route = next;
    await eventually("ten answers", () => answers.length >= before + 10);
  }
  isRunning = false;
  await Promise.all(clients);
  t.true(answers.every((answer) => /^200 \d+ \/$/.test(answer)));
  t.true(answers.includes("200 20 /"));
});

test("work in flight is finished by whoever began it", async (t) => {
  const listeners = await openListeners(t);
  let finish = (): void => undefined;
  const began = Promise.withResolvers<void>();
  const old = await serve(listeners, "127.0.0.1:0", "/", (_request, response) => {
    finish = () => response.end("old");
    began.resolve();
  });
  const response = ask(old.address, "/slow");
  await began.promise;
  await serve(listeners, old.address, "/", says("new"));
  t.is(old.inFlight, 1);
  let released = false;
  const release = old.release().then(() => {
    released = true;
  });
  t.is((await ask(old.address, "/")).body, "new /");
  t.false(released);
  finish();
  t.is((await response).body, "old");
  await release;
  t.is(old.inFlight, 0);
});

test("an address is closed with its last claim, and can be had again at once", async (t) => {
  const listeners = await openListeners(t);
  const agent = new Agent({ keepAlive: true });
  t.teardown(() => agent.destroy());
  const route = await serve(listeners, "127.0.0.1:0", "/", says("a"));
  await ask(route.address, "/", { agent });
  await route.release();
  await t.throwsAsync(ask(route.address, "/"), { code: "ECONNREFUSED" });
  t.deepEqual(listeners.list(), []);
  await serve(listeners, route.address, "/", says("b"));
  t.is((await ask(route.address, "/")).body, "b /");
});

test("a claim that is never activated leaves what runs alone", async (t) => {
  const listeners = await openListeners(t);
  const { address } = await serve(listeners, "127.0.0.1:0", "/", says("old"));
  const options = { listen: address, prefix: "/", requestTimeout: 1000, owner: "test" };
  const aborted = await listeners.claim(options, says("new"));
  t.is((await ask(address, "/")).body, "old /");
  await aborted.release();
  t.is((await ask(address, "/")).body, "old /");
});

test("one prefix cannot be prepared for two at once", async (t) => {
  const listeners = await openListeners(t);
  const { address } = await serve(listeners, "127.0.0.1:0", "/", says("old"));
  const options = { listen: address, prefix: "/a", requestTimeout: 1000 };
  await listeners.claim({ ...options, owner: "one" }, says("one"));
  await t.throwsAsync(listeners.claim({ ...options, owner: "two" }, says("two")), {
    message: /`\/a` on `127\.0\.0\.1:\d+` can have one answer only: `one` and `two`/,
  });
});

test("port 0 gives each claim of one attempt a port, and the next attempt the same ones", async (t) => {
  const listeners = await openListeners(t);
  const options = { listen: "127.0.0.1:0", prefix: "/", requestTimeout: 1000, owner: "hooks" };
  const claim = () => listeners.claim(options, says("x"));
  const first = [await claim(), await claim()];
  for (const route of first) route.activate();
  const second = [await claim(), await claim()];
  t.not(first[0]?.address, first[1]?.address);
  t.deepEqual(
    second.map(({ address }) => address),
    first.map(({ address }) => address),
  );
});

test("every address follows one address on the same port without a refused connection", async (t) => {
  const listeners = await openListeners(t);
  const narrow = await serve(listeners, "127.0.0.1:0", "/", says("narrow"));
  const port = narrow.address.split(":")[1];
  await serve(listeners, `:${port}`, "/", says("wide"));
  await narrow.release();
  t.is((await ask(`127.0.0.1:${port}`, "/")).body, "wide /");
  t.deepEqual(
    listeners.list().map(({ address }) => address),
    [`:${port}`],
  );
});

test("a handler that throws is answered for, logged, and harms nobody else", async (t) => {
  const log = new KeptLog();
  const listeners = await openListeners(t, log);
  const { address } = await serve(listeners, "127.0.0.1:0", "/bad", () => {
    throw new Error("out of luck");
  });
  await serve(listeners, address, "/good", says("good"));
  t.is((await ask(address, "/bad")).status, 500);
  t.is((await ask(address, "/good")).status, 200);
  t.deepEqual(
    log.lines.map(({ fields }) => fields),
    [{ owner: "test", reason: "out of luck" }],
  );
});

test("closing waits for answers, then refuses; the signal cuts off who takes too long", async (t) => {
  const listeners = await openListeners(t);
  const began = Promise.withResolvers<() => void>();
  const { address } = await serve(listeners, "127.0.0.1:0", "/", (_request, response) => {
    began.resolve(() => response.end("done"));
  });
  const response = ask(address, "/");
  const finish = await began.promise;
  const closed = listeners.close(new AbortController().signal);
  await new Promise((resolve) => setImmediate(resolve));
  await t.throwsAsync(ask(address, "/"), { code: "ECONNREFUSED" });
  finish();
  t.is((await response).body, "done");
  await closed;
  await t.throwsAsync(
    listeners.claim({ listen: address, prefix: "/", requestTimeout: 1, owner: "x" }, says("x")),
    { message: "The daemon is stopping." },
  );

  const stubborn = await openListeners(t);
  const started = Promise.withResolvers<void>();
  const never = await serve(stubborn, "127.0.0.1:0", "/", () => started.resolve());
  const cut = t.throwsAsync(ask(never.address, "/"), { code: "ECONNRESET" });
  await started.promise;
  const patience = new AbortController();
  const end = stubborn.close(patience.signal);
  patience.abort();
  await Promise.all([cut, end]);
});

test("a connection that never asks anything does not hold up closing", async (t) => {
  const listeners = await openListeners(t);
  const { address } = await serve(listeners, "127.0.0.1:0", "/", says("x"));
  const socket = connect(Number(address.split(":")[1]), "127.0.0.1");
  t.teardown(() => socket.destroy());
  const gone = new Promise((resolve) => socket.on("error", resolve).on("close", resolve).resume());
  socket.write("GET / HT");
  await ask(address, "/");
  await listeners.close(new AbortController().signal);
  await gone;
  t.pass();
});

test("a body that trickles in ends with 408 when its own claim says so", async (t) => {
  const listeners = await openListeners(t);
  const options = { listen: "127.0.0.1:0", prefix: "/", requestTimeout: 50, owner: "test" };
  const route = await listeners.claim(options, (request, response) => {
    request.on("end", () => response.end("whole")).resume();
  });
  route.activate();
  const socket = connect(Number(route.address.split(":")[1]), "127.0.0.1");
  t.teardown(() => socket.destroy());
  socket.write("POST / HTTP/1.1\r\nhost: x\r\ncontent-length: 10\r\n\r\nabc");
  let text = "";
  for await (const chunk of socket) text += String(chunk);
  t.regex(text, /^HTTP\/1\.1 408 /);
  t.regex(text, /did not arrive in time/);
  t.is((await ask(route.address, "/", { method: "POST", body: "quick" })).body, "whole");
});

test("headers have an end", async (t) => {
  const listeners = await openListeners(t);
  const { address } = await serve(listeners, "127.0.0.1:0", "/", says("x"));
  const { status } = await ask(address, "/", { headers: { "x-long": "y".repeat(20_000) } });
  t.is(status, 431);
});

test("who accepts longer headers on an address does not make others accept them", async (t) => {
  const listeners = await openListeners(t);
  const common = { requestTimeout: 1000, owner: "x" };
  const first = { listen: "127.0.0.1:0", prefix: "/long", headerLimit: 64 * 1024, ...common };
  const long = await listeners.claim(first, says("long"));
  const short = await listeners.claim(
    { ...first, listen: long.address, prefix: "/short", headerLimit: 2048 },
    says("short"),
  );
  long.activate();
  short.activate();
  const response = async (path: string, length: number) =>
    (await ask(long.address, path, { headers: { "x-long": "y".repeat(length) } })).status;
  t.is(await response("/long", 40_000), 200);
  t.is(await response("/long", 70_000), 431);
  t.is(await response("/short", 1000), 200);
  t.is(await response("/short", 2048), 431);
});

for (const prefix of ["hooks", "/hooks/", "//", "", "/a?b", "/a b"]) {
  test(`\`${prefix}\` is no prefix`, async (t) => {
    const listeners = await openListeners(t);
    const options = { listen: "127.0.0.1:0", prefix, requestTimeout: 1, owner: "x" };
    await t.throwsAsync(listeners.claim(options, says("x")), { message: /is not a prefix/ });
    t.deepEqual(listeners.list(), []);
  });
}
