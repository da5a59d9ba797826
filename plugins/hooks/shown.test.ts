/** What is kept and shown of hooks: records, events, metrics, panels, health. */
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { startFixture } from "./testing/fixture.js";
import { hook, SERVER, WAIT } from "./testing/pieces.js";

test("a run is on record, from its acceptance to its end, with what it printed", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", 'run = ["sh", "-c", "echo out; echo err >&2; exit 4"]'),
  );
  const { run } = (await (await at.post("x?token=1")).json()) as { run: string };
  await at.next("hook.finished");
  const [record] = (await at.plugin.runs()).toReversed();
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

test("events report triggered, finished and rejected requests", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["true"]\nwhen = query.go == "1"'));
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

test("events name the false part of a condition with its values", async (t) => {
  const condition = 'method == "POST" && (query.ref == "main" || query.ref =~ re"^release/")';
  const at = await startFixture(t, SERVER + hook("x", `run = ["true"]\nwhen = ${condition}`));
  t.is((await at.post("x?ref=wip")).status, 403);
  t.like(await at.next("hook.rejected"), {
    detail: '`(query.ref == "main" || query.ref =~ re"^release/")` is false: `query.ref` is "wip"',
  });
});

test("a command that cannot start shows in the hooks' health until one can", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", "run = [query.program]"));
  t.deepEqual(await at.plugin.health(), { state: "healthy" });
  await at.post("x?program=./nothing-there");
  await at.next("hook.finished");
  t.like(await at.plugin.health(), { state: "degraded" });
  await at.post("x?program=true");
  await at.next("hook.finished");
  t.deepEqual(await at.plugin.health(), { state: "healthy" });
});

test("an edit clears it, too", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["./nothing-there"]'));
  await at.post("x");
  await at.next("hook.finished");
  t.like(await at.plugin.health(), { state: "degraded" });
  await at.edit(SERVER + hook("x", 'run = ["true"]'));
  t.deepEqual(await at.plugin.health(), { state: "healthy" });
});

test("the control API lists hooks with their addresses", async (t) => {
  const verify = 'verify "token" { header = "X-Token"; secret = secret("env:S") }';
  const at = await startFixture(
    t,
    `${SERVER}## Says nothing.\n${hook("x", 'run = ["true"]\nmethods = ["GET", "POST"]')}${hook("y", `run = ["true"]\n${verify}`)}`,
  );
  const answer = await at.plugin.control({ url: "/v1/hooks" });
  const idle = { running: 0, waiting: 0, calls: 0, rejected: 0, failures: 0, timeouts: 0 };
  t.deepEqual(answer.json(), {
    hooks: [
      {
        ...{ name: "x", url: `${at.url}/x`, methods: ["GET", "POST"], verified: false },
        ...{ subject: "hook.x", doc: "Says nothing.", ...idle },
      },
      {
        ...{ name: "y", url: `${at.url}/y`, methods: ["POST"], verified: true },
        ...{ subject: "hook.y", ...idle },
      },
    ],
  });
});

test("the panel has a row for every hook", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", 'run = ["sh", "-c", query.do]') + hook("y", 'run = ["true"]'),
  );
  for (const command of ["true", "false"]) {
    await at.post(`x?do=${command}`);
    await at.next("hook.finished");
  }
  await at.post("x");
  const [panel] = await at.plugin.panels();
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

test("metrics count requests and runs by hook", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["true"]'));
  await at.post("x");
  await at.next("hook.finished");
  await fetch(`${at.url}/x`);
  await at.post("nobody");
  const text = await at.plugin.metrics();
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

test("no secret is stored", async (t) => {
  const at = await startFixture(
    t,
    SERVER +
      hook(
        "x",
        `run = ["sh", "-c", "echo $T $(cat)"]\nenv = { T = secret("env:T") }\nstdin = secret("env:T")\n${WAIT}`,
      ),
  );
  await (await at.post("x?token=hunter22")).text();
  const kept = JSON.stringify([
    (await at.plugin.runs()).toReversed(),
    await at.next("hook.triggered"),
    await at.next("hook.finished"),
  ]);
  t.false(kept.includes("hunter22"), kept);
});

for (const [title, response, expected] of [
  ["whole", "include_output = true", "the key is (secret).\n"],
  ["as it is printed", 'stream = "chunks"', "the key is (secret).\n"],
] as const) {
  test(`a secret that a command prints in two pieces is masked in a response with the output ${title}`, async (t) => {
    const print = "printf 'the key is hunt'; until [ -e go ]; do sleep 0.02; done; echo er22.";
    const at = await startFixture(
      t,
      `${SERVER}hook "x" {\n  run = ["sh", "-c", "${print}"]\n  env = { S = secret("env:S") }\n  response { ${response} }\n}\n`,
    );
    const answer = at.post("x");
    await at.plugin.until(async () => (await at.plugin.runs())[0]?.state === "running", "the run");
    await writeFile(join(at.directory, "go"), "");
    t.is(await (await answer).text(), expected);
    const [run] = await at.plugin.runs();
    t.false(JSON.stringify(run).includes("hunter22"));
  });
}
