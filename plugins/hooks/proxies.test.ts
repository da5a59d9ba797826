/** Where requests come from, over real sockets: addresses that are let in, and proxies that are believed. */
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, WAIT } from "./testing/pieces.js";

const server = (attributes: string) =>
  `hook_server "main" {\n  listen = "127.0.0.1:0"\n  ${attributes}\n}\n`;
const SHOWS = hook("shows", `run = ["echo", remote_ip ?? "nobody knows"]\n${WAIT}`);

test("a proxy is trusted from the edit that names it, on the same socket", async (t) => {
  const at = await startFixture(t, server("") + SHOWS);
  const { url } = at;
  const from = async (header: Record<string, string>) =>
    (await at.post("shows", "", header)).text();
  t.is(await from({ "x-forwarded-for": "192.0.2.7" }), "127.0.0.1\n");
  t.deepEqual(await at.edit(server('trusted_proxies = ["127.0.0.1"]') + SHOWS), []);
  t.is(at.url, url);
  t.is(await from({ "x-forwarded-for": "10.0.0.1, 192.0.2.7" }), "192.0.2.7\n");
  t.is(await from({ forwarded: "for=192.0.2.8" }), "127.0.0.1\n");
  t.is(await from({ "x-forwarded-for": "unknown" }), "nobody knows\n");
  await at.edit(server('trusted_proxies = ["127.0.0.1"]\nproxy_header = "Forwarded"') + SHOWS);
  t.is(await from({ forwarded: "for=192.0.2.8" }), "192.0.2.8\n");
});

test("a server does not reveal its hooks to addresses outside `allow_from`", async (t) => {
  const allowed = 'allow_from = ["192.0.2.0/24"]\ntrusted_proxies = ["127.0.0.0/8"]';
  const at = await startFixture(t, server(allowed) + SHOWS);
  for (const path of ["shows", "nothing"]) {
    const refused = await at.post(path, "", { "x-forwarded-for": "203.0.113.5" });
    t.is(refused.status, 403);
    t.false((await refused.text()).includes("203.0.113.5"));
  }
  t.is((await at.post("shows", "", { "x-forwarded-for": "192.0.2.7" })).status, 200);
  t.is((await at.post("nothing", "", { "x-forwarded-for": "192.0.2.7" })).status, 404);
});

test("a hook for one network, beside one for all; the operator sees the address", async (t) => {
  const at = await startFixture(
    t,
    server('trusted_proxies = ["127.0.0.1"]') +
      hook("inside", 'run = ["true"]\nallow_from = ["10.0.0.0/8"]') +
      hook("all", 'run = ["true"]'),
  );
  const outside = { "x-forwarded-for": "192.0.2.7" };
  t.is((await at.post("all", "", outside)).status, 202);
  t.is((await at.post("inside", "", outside)).status, 403);
  const { status, reason, detail, trigger } = await at.next("hook.rejected");
  t.deepEqual(
    [status, reason, detail, trigger],
    [
      403,
      "address_not_allowed",
      "192.0.2.7 is not in `allow_from`",
      "POST /hooks/inside from 192.0.2.7",
    ],
  );
  t.is((await at.post("inside", "", { "x-forwarded-for": "10.1.2.3" })).status, 202);
});

test("what is no network is refused", async (t) => {
  const at = await startFixture(t, server("") + SHOWS);
  const [complaint] = await at.edit(server('allow_from = ["10.0.0.0/33"]') + SHOWS);
  t.regex(complaint ?? "", /`10\.0\.0\.0\/33` is neither an address nor a network/);
});
