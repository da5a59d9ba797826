/** The rules of access to `reeve web`, one a row, with real sockets. */
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import { gzipSync } from "node:zlib";
import test from "ava";
import { buildSync } from "esbuild";
import type { PageData } from "./page/wire.js";
import { type Sent, served, viewOf } from "./testing/served.js";

type Change = (headers: Record<string, string>) => Record<string, string>;
const without =
  (name: string): Change =>
  ({ [name]: _, ...rest }) =>
    rest;
const withHeader =
  (name: string, value: string): Change =>
  (headers) => ({ ...headers, [name]: value });

const stream = test.macro<[Change, number]>({
  async exec(t, change, status) {
    const { enter, open } = await served(t);
    const response = await open("/-/stream?screen=overview", { headers: change(await enter()) });
    t.is(response.statusCode, status);
    response.destroy();
  },
  title: (about = "", _, status) => `a request for data ${about}: ${status}`,
});
test("of the page", stream, (headers) => headers, 200);
test("without Origin, as browsers send it", stream, without("origin"), 200);
test("without the cookie", stream, without("cookie"), 401);
test("without the second secret", stream, without("x-reeve-session"), 401);
test("with a wrong second secret", stream, withHeader("x-reeve-session", "x".repeat(43)), 401);
test("with a wrong cookie", stream, withHeader("cookie", "reeve=x"), 401);
test("of another origin", stream, withHeader("origin", "http://evil.test"), 403);
test("of no origin", stream, withHeader("origin", "null"), 403);
test("of another site", stream, withHeader("sec-fetch-site", "cross-site"), 403);
test("of another port", stream, withHeader("sec-fetch-site", "same-site"), 403);
test("typed by the user", stream, withHeader("sec-fetch-site", "none"), 403);
test("without Sec-Fetch-Site", stream, without("sec-fetch-site"), 403);
test("for a name that was bound to this host", stream, withHeader("host", "evil.test"), 421);

const session = test.macro<[Change, number]>({
  async exec(t, change, status) {
    const { ours, send, token } = await served(t);
    const headers = change({ ...ours, "content-type": "application/json" });
    const sent: Sent = { method: "POST", headers, body: JSON.stringify({ token: token() }) };
    const response = await send("/-/session", sent);
    t.is(response.status, status);
    t.is(response.headers["set-cookie"] === undefined, status !== 200);
  },
  title: (about = "", _, status) => `a token ${about}: ${status}`,
});
test("from the page", session, (headers) => headers, 200);
test("without Origin", session, without("origin"), 403);
test("from another page", session, withHeader("origin", "http://evil.test"), 403);
test("from another site", session, withHeader("sec-fetch-site", "cross-site"), 403);
test("with no Sec-Fetch-Site", session, without("sec-fetch-site"), 403);
test("in a form", session, withHeader("content-type", "text/plain"), 403);
test("for another host", session, withHeader("host", "evil.test"), 421);

test("every path answers another host with 421 and no body, also the page itself", async (t) => {
  const { send, server } = await served(t);
  const { port } = new URL(server.origin);
  for (const host of ["evil.test", `evil.test:${port}`, `127.0.0.1:${port}`, `localhost:${port}`]) {
    for (const path of ["/", "/page.js", "/-/stream", "/-/session"]) {
      const { status, body, headers } = await send(path, { headers: { host } });
      t.deepEqual([status, body], [421, ""], `${host} ${path}`);
      t.is(headers["access-control-allow-origin"], undefined);
    }
  }
});

test("a token gives one session; its second use ends that session, with its stream", async (t) => {
  const { enter, open, redeem, send, token } = await served(t);
  const own = token();
  const headers = await enter(own);
  const response = await open("/-/stream", { headers });
  t.is((await viewOf<PageData>(response.iterator({ destroyOnReturn: false }))).screen, "overview");
  const second = await redeem(own);
  t.is(second.status, 403);
  t.regex(second.body, /used before\. Its session has ended/);
  t.is(second.headers["set-cookie"], undefined);
  response.resume();
  await once(response, "end");
  t.is((await send("/-/stream", { headers })).status, 401);
});

test("a token is good for a minute, a session for eight hours", async (t) => {
  const { clock, enter, redeem, send, token } = await served(t);
  const late = token();
  clock.now += 60_001;
  t.regex((await redeem(late)).body, /expired/);
  const headers = await enter();
  clock.now += 8 * 3_600_000 + 1;
  t.is((await send("/-/stream", { headers })).status, 401);
});

test("an invalid token is refused in one sentence", async (t) => {
  const { ours, redeem, send } = await served(t);
  t.is((await redeem("x")).status, 403);
  const headers = { ...ours, "content-type": "application/json" };
  for (const body of ["", "null", "[]", "{", '{"token":1}', `{"token":"${"x".repeat(9000)}"}`]) {
    const { status, body: text } = await send("/-/session", { method: "POST", headers, body });
    t.deepEqual([status, JSON.parse(text).detail], [400, "The body has no token."], body);
  }
});

test("the cookie is hidden from scripts and other sites", async (t) => {
  const { redeem, token } = await served(t);
  const { headers } = await redeem(token());
  t.regex(headers["set-cookie"]?.[0] ?? "", /; HttpOnly; SameSite=Strict; Path=\/; Max-Age=28800$/);
});

test("every answer has the policy, and the page names no other host", async (t) => {
  const { send } = await served(t);
  for (const path of ["/", "/hooks", "/page.js", "/page.css", "/-/stream"]) {
    const { headers, body } = await send(path);
    t.regex(String(headers["content-security-policy"]), /^default-src 'none'; script-src 'self';/);
    t.is(headers["cache-control"], "no-store");
    t.is(headers["referrer-policy"], "no-referrer");
    t.notRegex(body.replace("http://www.w3.org/2000/svg", ""), /https?:\/\//, path);
  }
  t.is((await send("/", { method: "POST" })).status, 405);
});

test("every screen is sent as data", async (t) => {
  const { enter, open } = await served(t);
  const headers = await enter();
  const first = await viewOf<PageData>(await open("/-/stream", { headers }));
  t.true(first.cards.length > 0);
  t.true(first.screens.length >= 7);
  for (const { id, title } of first.screens) {
    const data = await viewOf<PageData>(await open(`/-/stream?screen=${id}`, { headers }));
    t.is(data.screen, id, title);
    t.notRegex(JSON.stringify(data), /\\u001b/, title);
  }
});

test("a filter keeps rows, and an opened run is shown in full", async (t) => {
  const { enter, open } = await served(t);
  const headers = await enter();
  const all = await viewOf<PageData>(await open("/-/stream?screen=plugins", { headers }));
  t.is(all.table.rows.length, 1);
  t.true(all.table.columns.some(({ title }) => title === "STATE"));
  const none = await open("/-/stream?screen=plugins&filter=nothing", { headers });
  const { table } = await viewOf<PageData>(none);
  t.deepEqual([table.size, table.total], [0, 1]);
  const one = await open(`/-/stream?screen=plugins&open=${all.table.rows[0]?.id}`, { headers });
  const { detail } = await viewOf<PageData>(one);
  t.regex(
    detail?.lines
      .flat()
      .map(({ text }) => text)
      .join("") ?? "",
    /1\.2\.0/,
  );
});

test("a change is sent while the page is open", async (t) => {
  let queued = 0;
  const { status } = await import("../testing/samples.js");
  const { enter, open } = await served(t, {
    "GET /v1/status": () => ({ ...status, runs: { ...status.runs, queued } }),
  });
  const response = await open("/-/stream", { headers: await enter() });
  const hasQueued = (data: PageData) => JSON.stringify(data.cards).includes("3 queued");
  const stays = { destroyOnReturn: false };
  t.false(hasQueued(await viewOf<PageData>(response.iterator(stays))));
  queued = 3;
  t.true(hasQueued(await viewOf<PageData>(response.iterator(stays), hasQueued)));
  response.destroy();
});

test("the script is far below the limit of 150 kB, compressed", (t) => {
  const [script] = buildSync({
    entryPoints: [fileURLToPath(new URL("page/main.js", import.meta.url))],
    ...{ bundle: true, format: "esm", minify: true, write: false },
  }).outputFiles;
  const size = gzipSync(script?.contents ?? "").length;
  t.true(size > 1000 && size <= 150_000, `${size}`);
});
