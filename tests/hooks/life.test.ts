/** Hooks through edits, crowds, failures and the end. */
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { type House, house } from "./house.js";

const SERVER = 'hook_server "main" { listen = "127.0.0.1:0" }\n';
const hook = (name: string, body: string) => `hook "${name}" {\n${body}\n}\n`;

/** Says which file it waits for, so that the test decides how long it takes. */
const UNTIL =
  'run = ["sh", "-c", "until [ -e $0 ]; do sleep 0.02; done; echo $1", query.until, query.say ?? "done"]';
const WAIT = "response { include_output = true }";
const release = (at: House, name: string) => writeFile(join(at.directory, name), "");

test("a run is on record, from its acceptance to its end, with what it printed", async (t) => {
  const at = await house(
    t,
    SERVER + hook("x", 'run = ["sh", "-c", "echo out; echo err >&2; exit 4"]'),
  );
  const { run } = (await (await at.post("x?token=1")).json()) as { run: string };
  await at.next("hook.finished");
  const [record] = await at.runs();
  t.like(record, {
    id: run,
    kind: "hook",
    subject: "hook.x",
    trigger: "POST /hooks/x from 127.0.0.1",
    state: "failed",
    exitCode: 4,
    reason: "The command ended with status 4.",
  });
  t.deepEqual(record?.output.text.trim().split("\n").sort(), ["err", "out"]);
});

test("whoever watches is told what was triggered, finished and rejected", async (t) => {
  const at = await house(t, SERVER + hook("x", 'run = ["true"]\nwhen = query.go == "1"'));
  await at.post("x?go=1");
  await at.post("x");
  const { run } = await at.next("hook.triggered");
  t.like(await at.next("hook.finished"), { hook: "x", run, state: "succeeded", exitCode: 0 });
  t.like(await at.next("hook.rejected"), {
    hook: "x",
    status: 403,
    reason: "condition_not_met",
    detail: "`query.go` is missing",
    trigger: "POST /hooks/x from 127.0.0.1",
  });
});

test("who comes when the queue is full is asked to come again", async (t) => {
  const at = await house(t, SERVER + hook("x", `${UNTIL}\n${WAIT}\nconcurrency = 1\nqueue = 1`));
  const first = at.post("x?until=a&say=first");
  await at.next("hook.triggered");
  const second = at.post("x?until=a&say=second");
  await at.next("hook.triggered");
  const third = await at.post("x?until=a");
  t.is(third.status, 429);
  t.regex(third.headers.get("retry-after") ?? "", /^[1-9]\d*$/);
  await release(at, "a");
  t.is(await (await first).text(), "first\n");
  t.is(await (await second).text(), "second\n");
  const [one, other] = await at.runs();
  t.deepEqual([one?.state, other?.state], ["succeeded", "succeeded"]);
  t.true((other?.queuedAt ?? 0) <= (one?.finishedAt ?? 0), "the second waited");
  t.true((other?.startedAt ?? 0) >= (one?.finishedAt ?? Infinity) - 1, "until the first was done");
});

test("or the one that has waited longest gives way", async (t) => {
  const limits = 'concurrency = 1\nqueue = 1\noverflow = "drop_oldest"';
  const at = await house(t, SERVER + hook("x", `${UNTIL}\n${WAIT}\n${limits}`));
  const first = at.post("x?until=a");
  await at.next("hook.triggered");
  const second = at.post("x?until=a");
  await at.next("hook.triggered");
  const third = at.post("x?until=a&say=third");
  t.is((await second).status, 503);
  const [, dropped] = await at.runs();
  t.like(dropped, {
    state: "cancelled",
    startedAt: undefined,
    reason: "A newer request took its place in the queue.",
  });
  await release(at, "a");
  t.is((await first).status, 200);
  t.is(await (await third).text(), "third\n");
});

test("an edit takes over for new requests; what runs or waits ends as it began", async (t) => {
  const text = (say: string) =>
    SERVER +
    hook(
      "x",
      `run = ["sh", "-c", "until [ -e a ]; do sleep 0.02; done; echo ${say}"]\n${WAIT}\nconcurrency = 1`,
    );
  const at = await house(t, text("old"));
  const running = at.post("x");
  await at.next("hook.triggered");
  const waiting = at.post("x");
  await at.next("hook.triggered");
  t.deepEqual(await at.edit(text("new")), []);
  const later = at.post("x");
  await at.next("hook.triggered");
  await release(at, "a");
  t.deepEqual(
    await Promise.all([running, waiting, later].map(async (each) => (await each).text())),
    ["old\n", "old\n", "new\n"],
  );
  t.deepEqual(
    (await at.runs()).map(({ state }) => state),
    ["succeeded", "succeeded", "succeeded"],
  );
});

test("an unchanged server keeps its address; a hook that is removed is gone, its run goes on", async (t) => {
  const at = await house(t, SERVER + hook("x", `${UNTIL}\n${WAIT}`) + hook("y", 'run = ["true"]'));
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
  const at = await house(t, SERVER + hook("x", 'run = ["true"]'));
  const verify = 'verify "hmac" { header = "X-Signature"; secret = trim(secret("env:BLANK")) }';
  t.deepEqual(await at.edit(SERVER + hook("y", `run = ["true"]\n${verify}`)), [
    "this secret is empty, so that anybody would know it",
  ]);
  t.is((await at.post("x")).status, 202);
  t.is((await at.post("y")).status, 404);
});

test("a hook belongs to the server it names, else to the one called `default`", async (t) => {
  const servers =
    'hook_server "default" { listen = "127.0.0.1:0" }\nhook_server "other" { listen = "127.0.0.1:0"; prefix = "" }\n';
  const at = await house(
    t,
    `${servers}${hook("x", 'run = ["true"]')}${hook("y", 'run = ["true"]\nserver = hook_server.other')}`,
  );
  const usual = at.servers().get("/hooks");
  const other = at.servers().get("/");
  const send = async (url: string) => (await fetch(url, { method: "POST" })).status;
  t.deepEqual(await Promise.all([`${usual}/x`, `${usual}/y`].map(send)), [202, 404]);
  t.deepEqual(await Promise.all([`${other}/x`, `${other}/y`].map(send)), [404, 202]);
});

test("what is ambiguous or dangerous about servers is said", async (t) => {
  const at = await house(t, SERVER);
  const two = (listen: string) =>
    `hook_server "a" { listen = "127.0.0.1:1" }\nhook_server "b" { listen = "${listen}" }\n`;
  t.deepEqual(await at.edit(two("127.0.0.1:2") + hook("x", 'run = ["true"]')), [
    "there are several hook servers, and this hook does not say which is its",
  ]);
  t.deepEqual(await at.edit(two("127.0.0.1:1")), [
    "`hook_server.a` has the same address and prefix",
  ]);
  t.deepEqual(
    await at.edit(`hook_server "a" { listen = "0.0.0.0:0" }\n${hook("x", 'run = ["true"]')}`),
    ["anybody who can reach 0.0.0.0:0 can run this hook"],
  );
});

test("a command that cannot start shows in the hooks' health until one can", async (t) => {
  const at = await house(t, SERVER + hook("x", "run = [query.program]"));
  t.deepEqual(await at.health(), { state: "healthy" });
  await at.post("x?program=./nothing-there");
  await at.next("hook.finished");
  t.like(await at.health(), { state: "degraded" });
  await at.post("x?program=true");
  await at.next("hook.finished");
  t.deepEqual(await at.health(), { state: "healthy" });
});

test("an edit that may mend it clears it, too", async (t) => {
  const at = await house(t, SERVER + hook("x", 'run = ["./nothing-there"]'));
  await at.post("x");
  await at.next("hook.finished");
  t.like(await at.health(), { state: "degraded" });
  await at.edit(SERVER + hook("x", 'run = ["true"]'));
  t.deepEqual(await at.health(), { state: "healthy" });
});

test("no request fails while the hooks are edited again and again", async (t) => {
  const text = (edit: number) =>
    `hook_server "main" { listen = "127.0.0.1:0"; body_limit = ${1000 + (edit % 3)}B }\n${hook("x", `run = ["true"]\nenv = { EDIT = ${edit} }`)}`;
  const at = await house(t, text(0));
  let edits = 0;
  const editing = (async () => {
    for (edits = 1; edits < 12; edits += 1) t.deepEqual(await at.edit(text(edits)), []);
  })();
  const statuses = new Set<number>();
  const { url } = at;
  while (edits < 12) statuses.add((await fetch(`${url}/x`, { method: "POST" })).status);
  await editing;
  t.deepEqual([...statuses], [202]);
  t.is(at.url, url);
});

test("the panel has a row for every hook", async (t) => {
  const at = await house(
    t,
    SERVER + hook("x", 'run = ["sh", "-c", query.do]') + hook("y", 'run = ["true"]'),
  );
  for (const command of ["true", "false"]) {
    await at.post(`x?do=${command}`);
    await at.next("hook.finished");
  }
  await at.post("x");
  const [panel] = await at.panels();
  t.is(panel?.kind, "table");
  const rows = panel?.kind === "table" ? panel.rows : [];
  t.like(rows[0], {
    hook: "x",
    calls: 2,
    running: 0,
    waiting: 0,
    failures: 1,
    rejected: 1,
    state: "failed",
  });
  t.like(rows[1], { hook: "y", calls: 0, p50: null, last: null });
});

test("the end cuts off what runs and sends home who waits, and leaves no command behind", async (t) => {
  const at = await house(
    t,
    SERVER + hook("x", `run = ["sh", "-c", "echo $$ >pid; sleep 60"]\n${WAIT}\nconcurrency = 1`),
  );
  const running = at.post("x");
  await at.next("hook.triggered");
  const waiting = at.post("x");
  await at.next("hook.triggered");
  await until(async () => (await readFile(join(at.directory, "pid"), "utf8")).trim() !== "");
  const pid = Number(await readFile(join(at.directory, "pid"), "utf8"));
  await at.stop(0);
  t.deepEqual([(await running).status, (await waiting).status], [503, 503]);
  t.deepEqual(
    (await at.runs()).map(({ state }) => state),
    ["cancelled", "cancelled"],
  );
  t.throws(() => process.kill(pid, 0), { code: "ESRCH" });
});

test("what can end in time does", async (t) => {
  const at = await house(t, SERVER + hook("x", `${UNTIL}\n${WAIT}`));
  const running = at.post("x?until=a");
  await at.next("hook.triggered");
  const stopped = at.stop();
  await release(at, "a");
  t.is(await (await running).text(), "done\n");
  await stopped;
});

async function until(holds: () => Promise<boolean>): Promise<void> {
  while (!(await holds().catch(() => false))) await new Promise((again) => setTimeout(again, 5));
}

test("metrics count requests and runs by hook", async (t) => {
  const at = await house(t, SERVER + hook("x", 'run = ["true"]'));
  await at.post("x");
  await at.next("hook.finished");
  await fetch(`${at.url}/x`);
  await at.post("nobody");
  const text = await at.metrics();
  for (const line of [
    'reeve_hooks_requests_total{hook="x",outcome="accepted"} 1',
    'reeve_hooks_requests_total{hook="x",outcome="method_not_allowed"} 1',
    'reeve_hooks_requests_total{hook="",outcome="unknown_hook"} 1',
    'reeve_hooks_runs_total{hook="x",state="succeeded"} 1',
    'reeve_hooks_running{hook="x"} 0',
  ]) {
    t.true(text.includes(line), line);
  }
});

test("secrets are in nothing that is kept", async (t) => {
  const at = await house(
    t,
    SERVER +
      hook(
        "x",
        `run = ["sh", "-c", "echo $T $(cat)"]\nenv = { T = secret("env:T") }\nstdin = secret("env:T")\n${WAIT}`,
      ),
  );
  await (await at.post("x?token=hunter22")).text();
  const kept = JSON.stringify([
    await at.runs(),
    await at.next("hook.triggered"),
    await at.next("hook.finished"),
  ]);
  t.false(kept.includes("hunter22"), kept);
});
