/** The lookup against a real server: what is asked, how often, and what is made of each answer. */
import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import test, { type ExecutionContext } from "ava";
import { UpdatesError } from "../errors.js";
import { closed, urlOf } from "../testing/server.js";
import type { RegistryRequest } from "./contract.js";
import { credentialFor } from "./credentials.js";
import { Egress } from "./egress.js";
import { createLookup, type LookupOptions } from "./lookup.js";

type Handler = (request: IncomingMessage, response: ServerResponse, count: number) => void;

/** A server, a lookup whose time only goes on when something sleeps, and what they saw. */
async function scene(t: ExecutionContext, handler: Handler, options: Partial<LookupOptions> = {}) {
  const seen: IncomingMessage[] = [];
  const server = createServer((request, response) => {
    seen.push(request);
    handler(request, response, seen.length);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  t.teardown(() => closed(server));
  let now = 1_000_000;
  const slept: number[] = [];
  const clock = {
    now: () => now,
    sleep: async (milliseconds: number) => {
      slept.push(milliseconds);
      now += milliseconds;
    },
  };
  const url = urlOf(server);
  return {
    url,
    seen,
    slept,
    pass: (milliseconds: number) => {
      now += milliseconds;
    },
    lookup: createLookup({
      clock,
      egress: new Egress({ allowed: ["127.0.0.0/8", "::1"] }),
      ...options,
    }),
  };
}

const ask = (url: string): RegistryRequest<string> => ({
  url,
  purpose: "test",
  digest: ({ body }) => {
    const text = new TextDecoder().decode(body);
    if (text.startsWith("<")) throw new Error("not what was asked for");
    return text;
  },
});

const code = async (t: ExecutionContext, promise: Promise<unknown>): Promise<string | undefined> =>
  (await t.throwsAsync(promise, { instanceOf: UpdatesError }))?.code;

test("concurrent requests share one response", async (t) => {
  const { lookup, url, seen } = await scene(t, (_request, response) =>
    setImmediate(() => response.end("a")),
  );
  t.deepEqual(
    await Promise.all(Array.from({ length: 50 }, () => lookup.fetch(ask(url)))),
    Array(50).fill("a"),
  );
  t.is(seen.length, 1);
});

test("a response is fresh for a while, then revalidated by its ETag", async (t) => {
  const { lookup, url, seen, pass } = await scene(t, ({ headers }, response) => {
    if (headers["if-none-match"] === '"1"') response.writeHead(304).end();
    else response.setHeader("etag", '"1"').end("a");
  });
  await lookup.fetch(ask(url));
  pass(59_999);
  await lookup.fetch(ask(url));
  t.is(seen.length, 1);
  pass(1);
  t.is(await lookup.fetch(ask(url)), "a");
  t.is(seen.length, 2);
});

test("a fresh lookup revalidates at once, and only once for all its users", async (t) => {
  const { lookup, url, seen, pass } = await scene(t, (_request, response, count) =>
    response.end(String(count)),
  );
  t.is(await lookup.fetch(ask(url)), "1");
  pass(1);
  const fresh = lookup.fresh();
  t.is(await fresh.fetch(ask(url)), "2");
  t.is(await fresh.fetch(ask(url)), "2");
  t.is(await lookup.fetch(ask(url)), "2");
  t.is(seen.length, 2);
});

test('"not found" is cached for a while, unless a release is announced', async (t) => {
  const { lookup, url, seen, pass } = await scene(t, (_request, response, count) =>
    response.writeHead(count === 1 ? 404 : 200).end("a"),
  );
  t.is(await code(t, lookup.fetch(ask(url))), "package_unknown");
  t.is(await code(t, lookup.fetch(ask(url))), "package_unknown");
  t.is(seen.length, 1);
  t.is(await lookup.fresh().fetch(ask(url)), "a");
  pass(300_000);
  t.is(await lookup.fetch(ask(url)), "a");
});

const refusals: ReadonlyArray<
  readonly [status: number, body: string, code: string, requests: number]
> = [
  [401, "", "registry_refused", 1],
  [403, "", "registry_refused", 1],
  [410, "", "package_unknown", 1],
  [418, "", "lookup_failed", 1],
  [200, "<html>", "registry_garbled", 1],
  [500, "", "lookup_failed", 3],
  [304, "", "registry_garbled", 1],
];
for (const [status, body, expected, requests] of refusals)
  test(`${status}${body} means ${expected}, after ${requests} questions`, async (t) => {
    const { lookup, url, seen } = await scene(t, (_request, response) =>
      response.writeHead(status).end(body),
    );
    t.is(await code(t, lookup.fetch(ask(url))), expected);
    t.is(seen.length, requests);
  });

test("a host that is busy is asked again when it says", async (t) => {
  const { lookup, url, slept } = await scene(t, (_request, response, count) => {
    if (count < 3) response.writeHead(429, { "retry-after": "7" }).end();
    else response.end("a");
  });
  t.is(await lookup.fetch(ask(url)), "a");
  t.deepEqual(slept, [7000, 7000]);
});

test("a host gets the long pause it requests; lookups fail in the meantime", async (t) => {
  const { lookup, url, seen } = await scene(t, (_request, response) =>
    response.writeHead(503, { "retry-after": "600" }).end(),
  );
  const first = await t.throwsAsync(lookup.fetch(ask(`${url}/a`)), { instanceOf: UpdatesError });
  const second = await t.throwsAsync(lookup.fetch(ask(`${url}/b`)), { instanceOf: UpdatesError });
  t.deepEqual([first?.retryAfter, second?.retryAfter], [600_000, 600_000]);
  t.is(seen.length, 1);
});

test("a host that does not answer is paused, then retried", async (t) => {
  const { lookup, url, seen, pass } = await scene(t, (request, response, count) => {
    if (count <= 3) request.socket.destroy();
    else response.end("a");
  });
  t.is(await code(t, lookup.fetch(ask(`${url}/a`))), "lookup_failed");
  t.is(await code(t, lookup.fetch(ask(`${url}/b`))), "lookup_failed");
  t.is(seen.length, 3);
  pass(30_000);
  t.is(await lookup.fetch(ask(`${url}/b`)), "a");
});

test("a host that answers other requests is not paused for one failure", async (t) => {
  const { lookup, url } = await scene(t, (request, response) => {
    if (request.url === "/slow") request.socket.destroy();
    else response.end("a");
  });
  const [slow, quick] = await Promise.all([
    code(t, lookup.fetch(ask(`${url}/slow`))),
    lookup.fetch(ask(`${url}/quick`)),
  ]);
  t.is(slow, "lookup_failed");
  t.is(quick, "a");
  t.is(await lookup.fetch(ask(`${url}/other`)), "a");
});

test("an answer that does not come in time is no answer", async (t) => {
  const { lookup, url } = await scene(t, () => undefined, { timeout: 20 });
  t.is(await code(t, lookup.fetch(ask(url))), "lookup_failed");
});

test("a host gets no more questions at once than agreed", async (t) => {
  let open = 0;
  let most = 0;
  const { lookup, url } = await scene(
    t,
    (_request, response) => {
      open += 1;
      most = Math.max(most, open);
      setImmediate(() => {
        open -= 1;
        response.end("a");
      });
    },
    { concurrency: 4 },
  );
  await Promise.all(Array.from({ length: 40 }, (_, index) => lookup.fetch(ask(`${url}/${index}`))));
  t.true(most <= 4 && most > 1, `${most}`);
});

test("a credential goes to its own host and never along with a redirect", async (t) => {
  const elsewhere = await scene(t, ({ headers }, response) =>
    response.end(headers.authorization ?? "nothing"),
  );
  const credentials = [{ url: "", authorization: "Bearer secret" }];
  const own = await scene(
    t,
    ({ headers, url }, response) => {
      if (url === "/away")
        response
          .writeHead(302, { location: `${elsewhere.url.replace("127.0.0.1", "localhost")}/` })
          .end();
      else response.end(headers.authorization ?? "nothing");
    },
    { credentials },
  );
  credentials.splice(0, 1, { url: own.url, authorization: "Bearer secret" });
  t.is(await own.lookup.fetch(ask(`${own.url}/here`)), "Bearer secret");
  t.is(await own.lookup.fetch(ask(`${own.url}/away`)), "nothing");
});

test("what is kept outlives the lookup", async (t) => {
  const kept = new Map<string, never>();
  const cache = {
    read: (key: string) => kept.get(key),
    write: (key: string, answer: unknown) => void kept.set(key, answer as never),
  };
  const first = await scene(t, (_request, response) => response.setHeader("etag", '"1"').end("a"), {
    cache,
  });
  await first.lookup.fetch(ask(first.url));
  const next = createLookup({
    clock: { now: () => 1_000_001, sleep: async () => undefined },
    cache,
  });
  t.is(await next.fetch(ask(first.url)), "a");
  t.is(first.seen.length, 1);
  t.notThrows(() => structuredClone(kept));
});

const credentialCases: ReadonlyArray<readonly [url: string, credential: string | undefined]> = [
  ["https://a.test/x", "root"],
  ["https://a.test/private/x", "private"],
  ["https://a.test/privateer/x", "root"],
  ["https://a.test.evil.test/x", undefined],
  ["http://a.test/x", undefined],
  ["https://a.test:444/x", undefined],
];
for (const [url, expected] of credentialCases)
  test(`${url} gets ${expected ?? "no credential"}`, (t) => {
    const credentials = [
      { url: "https://a.test", authorization: "root" },
      { url: "https://a.test/private/", authorization: "private" },
    ];
    t.is(credentialFor(url, credentials)?.authorization, expected);
  });
