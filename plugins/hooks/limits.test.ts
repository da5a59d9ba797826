/** `limit` blocks over real sockets. */
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { sign, VERIFY } from "./testing/request.js";

const SERVER = 'hook_server "main" { listen = "127.0.0.1:0" }\n';
const limited = (limit: string, more = ""): string =>
  `${SERVER}hook "a" {\n  run = ["true"]\n  ${more}\n  limit {\n    ${limit}\n  }\n}\n`;
const json = { "content-type": "application/json" };

test("an address that exceeds the rate gets 429 and the time to wait", async (t) => {
  const { post, plugin } = await startFixture(t, limited("rate = 2\n    per = 1h"));
  t.deepEqual(
    await Promise.all([post("a"), post("a")].map(async (each) => (await each).status)),
    [202, 202],
  );
  const refused = await post("a");
  t.is(refused.status, 429);
  const wait = Number(refused.headers.get("retry-after"));
  t.true(wait > 1700 && wait <= 1800, `${wait}`);
  t.like(await refused.json(), { title: "Rate limit exceeded", status: 429 });
  t.regex(await plugin.metrics(), /reeve_hooks_requests_total\{[^}]*rate_limited[^}]*\} 1/);
});

test("an edit keeps what has been counted", async (t) => {
  const { post, edit } = await startFixture(t, limited("rate = 1\n    per = 1h"));
  t.is((await post("a")).status, 202);
  t.is((await post("a")).status, 429);
  t.deepEqual(await edit(limited("rate = 1\n    per = 1h", "timeout = 5m")), []);
  t.is((await post("a")).status, 429);
  t.deepEqual(await edit(limited("rate = 1\n    per = 1h\n    burst = 2")), []);
  t.is((await post("a")).status, 202);
});

test("a client behind a trusted proxy counts by its own address", async (t) => {
  const config = limited("rate = 1\n    per = 1h").replace(
    ':0" }',
    ':0"; trusted_proxies = ["127.0.0.1"] }',
  );
  const { post } = await startFixture(t, config);
  const from = async (address: string) =>
    (await post("a", "", { "x-forwarded-for": address })).status;
  t.is(await from("192.0.2.1"), 202);
  t.is(await from("192.0.2.1"), 429);
  t.is(await from("192.0.2.2"), 202);
  t.is(await from("2001:db8::1"), 202);
  t.is(await from("2001:db8::2"), 429);
  t.is(await from("2001:db8:0:1::1"), 202);
});

test("with a key, verified requests that meet the condition count", async (t) => {
  const config = limited(
    "rate = 1\n    per = 1h\n    key = payload.name",
    `when = payload.ok\n  ${VERIFY}`,
  );
  const { post } = await startFixture(t, config);
  const send = async (body: string, isSigned = true) =>
    (await post("a", body, isSigned ? { ...json, "x-hub-signature-256": sign(body) } : json))
      .status;
  const good = '{"name":"x","ok":true}';
  t.is(await send(good, false), 401);
  t.is(await send('{"name":"x","ok":false}'), 403);
  t.is(await send('{"ok":true}'), 422);
  t.is(await send(good), 202);
  t.is(await send(good), 429);
  t.is(await send(good, false), 401);
  t.is(await send('{"name":"y","ok":true}'), 202);
});

for (const [wrong, message] of [
  ["per = 1m", /`rate`/],
  ["rate = 0", /rate/],
  ["rate = 5\n    per = 10ms", /per/],
  ["rate = 5\n    burst = 0", /burst/],
] as const) {
  test(`\`limit { ${wrong.replace(/\s+/g, " ")} }\` is refused`, async (t) => {
    const { edit } = await startFixture(t, limited("rate = 1"));
    const [found = ""] = await edit(limited(wrong));
    t.regex(found, message);
  });
}
