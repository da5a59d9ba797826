import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { eventually } from "../../tests/support/eventually.js";
import { servers, startFixture } from "./testing/fixture.js";
import { hook, release, SERVER, UNTIL, WAIT } from "./testing/pieces.js";

test("an edit takes over for new requests; what runs or waits ends as it began", async (t) => {
  const written = (say: string) =>
    SERVER +
    hook(
      "x",
      `run = ["sh", "-c", "until [ -e a ]; do sleep 0.02; done; echo ${say}"]\n${WAIT}\nconcurrency = 1`,
    );
  const at = await startFixture(t, written("old"));
  const running = at.post("x");
  await at.next("hook.triggered");
  const waiting = at.post("x");
  await at.next("hook.triggered");
  t.deepEqual(await at.edit(written("new")), []);
  const later = at.post("x");
  await at.next("hook.triggered");
  await release(at, "a");
  t.deepEqual(
    await Promise.all([running, waiting, later].map(async (each) => (await each).text())),
    ["old\n", "old\n", "new\n"],
  );
  t.deepEqual(
    (await at.plugin.runs()).toReversed().map(({ state }) => state),
    ["succeeded", "succeeded", "succeeded"],
  );
});

test("an unchanged server keeps its address; a hook that is removed is gone, its run goes on", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", `${UNTIL}\n${WAIT}`) + hook("y", 'run = ["true"]'),
  );
  const { url } = at;
  const running = at.post("x?until=a");
  await at.next("hook.triggered");
  await at.edit(SERVER + hook("y", 'run = ["true"]'));
  t.is(at.url, url);
  t.is((await at.post("x?until=a")).status, 404);
  t.is((await at.post("y")).status, 202);
  await release(at, "a");
  t.is(await (await running).text(), "done\n");
});

test("a refused edit changes nothing", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["true"]'));
  const verify = 'verify "hmac" { header = "X-Signature"; secret = trim(secret("env:BLANK")) }';
  t.deepEqual(await at.edit(SERVER + hook("y", `run = ["true"]\n${verify}`)), [
    "this secret is empty, so any sender can sign",
  ]);
  t.is((await at.post("x")).status, 202);
  t.is((await at.post("y")).status, 404);
});

test("a hook belongs to the server it names, else to the one called `default`", async (t) => {
  const two =
    'hook_server "default" { listen = "127.0.0.1:0" }\nhook_server "other" { listen = "127.0.0.1:0"; prefix = "" }\n';
  const at = await startFixture(
    t,
    `${two}${hook("x", 'run = ["true"]')}${hook("y", 'run = ["true"]\nserver = hook_server.other')}`,
  );
  const usual = servers(at.plugin).get("/hooks");
  const other = servers(at.plugin).get("/");
  const send = async (url: string) => (await fetch(url, { method: "POST" })).status;
  t.deepEqual(await Promise.all([`${usual}/x`, `${usual}/y`].map(send)), [202, 404]);
  t.deepEqual(await Promise.all([`${other}/x`, `${other}/y`].map(send)), [404, 202]);
});

test("ambiguous and dangerous servers are reported", async (t) => {
  const at = await startFixture(t, SERVER);
  const two = (listen: string) =>
    `hook_server "a" { listen = "127.0.0.1:20001" }\nhook_server "b" { listen = "${listen}" }\n`;
  t.deepEqual(await at.edit(two("127.0.0.1:20002") + hook("x", 'run = ["true"]')), [
    "there are several hook servers, and this hook names none",
  ]);
  t.deepEqual(await at.edit(two("127.0.0.1:20001")), [
    "`hook_server.a` has the same address and prefix",
  ]);
  t.deepEqual(
    await at.edit(`hook_server "a" { listen = "0.0.0.0:0" }\n${hook("x", 'run = ["true"]')}`),
    ["any client of 0.0.0.0:0 can run this hook"],
  );
});

test("no request fails while the hooks are edited again and again", async (t) => {
  const written = (edit: number) =>
    `hook_server "main" { listen = "127.0.0.1:0"; body_limit = ${1000 + (edit % 3)}B }\n${hook("x", `run = ["true"]\nenv = { EDIT = ${edit} }`)}`;
  const at = await startFixture(t, written(0));
  let edits = 0;
  const editing = (async () => {
    for (edits = 1; edits < 12; edits += 1) t.deepEqual(await at.edit(written(edits)), []);
  })();
  const statuses = new Set<number>();
  const { url } = at;
  while (edits < 12) statuses.add((await fetch(`${url}/x`, { method: "POST" })).status);
  await editing;
  t.deepEqual([...statuses], [202]);
  t.is(at.url, url);
});

test("a missing program is reported before the first request", async (t) => {
  const at = await startFixture(t, SERVER);
  await writeFile(join(at.directory, "script.sh"), "#!/bin/sh\n", { mode: 0o644 });
  await mkdir(join(at.directory, "site"));
  await writeFile(join(at.directory, "site", "build"), "#!/bin/sh\n", { mode: 0o755 });
  const text = [
    hook("a", 'run = ["./nothing-there"]'),
    hook("b", 'run = ["no-such-program-anywhere"]'),
    hook("c", 'run = ["./script.sh"]'),
    hook("d", 'run = ["./build"]\ncwd = "./site"'),
    hook("e", 'run = ["true"]'),
    hook("f", "run = [query.program]"),
  ].join("");
  t.deepEqual((await at.edit(SERVER + text)).toSorted(), [
    "`./script.sh` cannot be executed",
    "there is no `./nothing-there`",
    "there is no `no-such-program-anywhere` in the daemon's PATH",
  ]);
});

test("the numbers of a hook survive edits, a removal and a restart", async (t) => {
  const written = (say: string) => SERVER + hook("x", `run = ["echo", "${say}"]\n${WAIT}`);
  const at = await startFixture(t, written("one"));
  t.is((await at.post("x")).status, 200);
  t.is((await fetch(`${at.url}/x`)).status, 405);
  const numbers = async () => {
    const [panel] = await at.plugin.panels();
    const rows = panel && "rows" in panel ? panel.rows : [];
    const { calls, rejected, failures, p50, last } = rows[0] ?? {};
    return { calls, rejected, failures, ran: p50 !== null, last };
  };
  const before = await numbers();
  t.like(before, { calls: 1, rejected: 1, failures: 0, ran: true });
  t.not(before.last, null);
  await at.edit(written("two"));
  t.deepEqual(await numbers(), before);
  await at.edit(`${SERVER}${hook("y", 'run = ["true"]')}`);
  await at.edit(written("three"));
  t.deepEqual(await numbers(), before);
  await at.plugin.restart();
  // The earlier instance writes when it ends, after this one has started.
  await eventually("the numbers", async () => (await numbers()).calls !== 0);
  t.deepEqual(await numbers(), before);
  t.is((await at.post("x")).status, 200);
  t.like(await numbers(), { calls: 2, rejected: 1 });
});
