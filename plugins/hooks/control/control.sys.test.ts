/** What is kept of requests, and what can be asked and done about them through the control API. */
import { createHmac } from "node:crypto";
import type { ExecutionContext } from "ava";
import test from "ava";
import type { HookDetail, HookExplanation, RunTrigger, TriggerOutcome } from "../evidence/api.js";
import { type HooksFixture, startFixture } from "../testing/fixture.js";
import { hook, SERVER, UNTIL } from "../testing/pieces.js";

const SIGNED = 'verify "hmac" { header = "X-Signature"; secret = secret("env:S") }';
const DEPLOY =
  SERVER +
  hook(
    "deploy",
    `${SIGNED}\nwhen = payload.ref == "refs/heads/main" && header["X-Api-Key"] != "x"
run = ["echo", payload.after, header["X-Api-Key"]]\nenv = { WHO = payload.who, KEY = secret("env:T") }`,
  );
const push = JSON.stringify({ ref: "refs/heads/main", after: "abc", who: "mona" });
const sign = (body: string) => createHmac("sha256", "hunter22").update(body).digest("hex");
const headers = {
  "x-signature": sign(push),
  "content-type": "application/json",
  "x-api-key": "k-very-secret",
  cookie: "session=abcdefgh",
};

async function post<Answer>(at: HooksFixture, url: string, payload: object): Promise<Answer> {
  const answer = await at.plugin.control({ method: "POST", url: `/v1/hooks/${url}`, payload });
  return answer.json() as Answer;
}

async function ran(
  t: ExecutionContext,
  at: HooksFixture,
): Promise<{ id: string; trigger: RunTrigger }> {
  await at.next("hook.finished");
  const [run] = await at.plugin.runs();
  const record = await at.plugin.run(run?.id ?? "");
  t.truthy(record?.request);
  return { id: record?.id ?? "", trigger: record?.request as RunTrigger };
}

test("a run stores its request, decision, command and timings without credentials", async (t) => {
  const at = await startFixture(t, DEPLOY);
  t.is((await at.post("deploy?ref=1&token=t-very-secret", push, headers)).status, 202);
  const { id, trigger } = await ran(t, at);
  t.is(trigger.hook, "deploy");
  t.like(trigger.request, {
    method: "POST",
    query: "ref=1&token=(secret)",
    remoteIp: "127.0.0.1",
    body: { bytes: push.length, text: push },
  });
  const kept = new Map(trigger.request.headers.map((each, i, all) => [each, all[i + 1]]));
  for (const name of ["x-signature", "x-api-key", "cookie"]) t.is(kept.get(name), "(secret)", name);
  t.is(kept.get("content-type"), "application/json");
  t.deepEqual(trigger.command, { env: { WHO: "mona", KEY: "(secret)" }, stdin: 0 });
  t.deepEqual(
    trigger.decision.map(({ what, holds, says }) => [what, holds, says]),
    [
      ["sender", true, '`verify "hmac"` (X-Signature) holds'],
      ["body", true, `${push.length} bytes of application/json, decoded as \`payload\``],
      ["when", true, "it is true"],
    ],
  );
  const { read, decided } = trigger.timings;
  t.true(0 <= read && read <= decided);
  const everything = JSON.stringify(await at.plugin.run(id));
  t.regex(everything, /payload\.ref == \\"refs\/heads\/main\\"/);
  for (const secret of ["k-very-secret", "t-very-secret", "abcdefgh", sign(push), "hunter22"]) {
    t.false(everything.replace(/"output":.*/, "").includes(secret), secret);
  }
});

test("a long body is stored in part and cannot be replayed", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["true"]'));
  for (const [body, cut] of [
    ["a".repeat(128 * 1024), undefined],
    ["a".repeat(128 * 1024 + 1), true],
    ["\u0001".repeat(100_000), true],
  ] as const) {
    t.is((await at.post("x", body, { "content-type": "text/plain" })).status, 202);
    const { id, trigger } = await ran(t, at);
    t.is(trigger.request.body.bytes, body.length);
    t.is(trigger.request.body.cut, cut);
    const answer = await post<{ detail?: string; outcome?: string }>(at, "replay", {
      run: id,
      dryRun: true,
    });
    if (cut) t.regex(answer.detail ?? "", /Only the beginning of its body/);
    else t.is(answer.outcome, "would_run");
  }
});

test("a replay decides the same request again and names its run", async (t) => {
  const at = await startFixture(
    t,
    DEPLOY.replace(', header["X-Api-Key"]]', "]").replace(/ && [^\n]*/, ""),
  );
  await at.post("deploy", push, headers);
  const { id } = await ran(t, at);
  t.like(await post<TriggerOutcome>(at, "replay", { run: id, dryRun: true }), {
    outcome: "would_run",
    argv: ["echo", "abc"],
  });
  t.like(await post<TriggerOutcome>(at, "replay", { run: id }), {
    outcome: "accepted",
    hook: "deploy",
  });
  const again = await ran(t, at);
  t.not(again.id, id);
  t.like(again.trigger, { replayOf: id, byHand: true });
  t.is((await at.plugin.run(again.id))?.trigger, `replay of ${id}`);
  await at.edit(DEPLOY.replace("refs/heads/main", "refs/heads/other"));
  t.like(await post<TriggerOutcome>(at, "replay", { run: id }), {
    outcome: "refused",
    refusal: { status: 403, reason: "condition_not_met" },
  });
  t.like(await post<object>(at, "replay", { run: "nobody" }), { status: 404 });
});

for (const isolation of ["inline", "worker", "process"] as const) {
  test(`a run keeps what led to it where the plugin is isolated: ${isolation}`, async (t) => {
    const at = await startFixture(t, DEPLOY, { isolation });
    t.is((await at.post("deploy", push, headers)).status, 202);
    const { id, trigger } = await ran(t, at);
    t.is(trigger.decision.length, 3);
    t.like(await post<TriggerOutcome>(at, "replay", { run: id, dryRun: true }), {
      outcome: "refused",
      refusal: { reason: "condition_not_met" },
    });
  });
}

test("a manual trigger skips verification only", async (t) => {
  const at = await startFixture(t, DEPLOY);
  const request = { hook: "deploy", headers: { ...headers, "X-Api-Key": "k" }, body: push };
  t.like(await post<TriggerOutcome>(at, "trigger", request), { outcome: "accepted" });
  const { id, trigger } = await ran(t, at);
  t.true(trigger.byHand);
  t.regex((await at.plugin.run(id))?.output.text ?? "", /^abc k\n$/);
  const other = { ...request, body: push.replace("main", "wip") };
  const refused = await post<TriggerOutcome>(at, "trigger", other);
  t.like(refused, { outcome: "refused", refusal: { status: 403 } });
  t.like(await post<object>(at, "trigger", { hook: "deplyo" }), {
    status: 404,
    code: "hooks.unknown_hook",
    help: "There is: deploy.",
  });
});

test("an explanation is a tree with the values that decided, also behind a step that does not hold", async (t) => {
  const at = await startFixture(t, DEPLOY);
  const response = await post<HookExplanation>(at, "explain", {
    hook: "deploy",
    headers: { "content-type": "application/json", "x-api-key": "k-very-secret" },
    body: push.replace("main", "wip"),
  });
  t.deepEqual(
    response.decision.map(({ what, holds }) => [what, holds]),
    [
      ["method", true],
      ["sender", false],
      ["body", true],
      ["when", false],
      ["command", true],
    ],
  );
  t.like(response.refusal, { status: 401, reason: "bad_signature" });
  const tree = response.decision.find(({ what }) => what === "when")?.tree;
  t.like(tree?.parts[0], {
    text: 'payload.ref == "refs/heads/main"',
    outcome: "false",
  });
  t.deepEqual(tree?.parts[0]?.parts[0], {
    text: "payload.ref",
    outcome: '"refs/heads/wip"',
    parts: [],
  });
  t.false(JSON.stringify(response).includes("k-very-secret"));
});

test("a queued and a running run can be cancelled", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", `${UNTIL}\nconcurrency = 1`));
  const ids: string[] = [];
  for (const name of ["a", "b"]) {
    const answer = (await (await at.post(`x?until=${name}`)).json()) as { run: string };
    ids.push(answer.run);
  }
  const [first = "", second = ""] = ids;
  for (const run of [second, first]) {
    t.deepEqual(await post(at, "cancel", { run }), { run, state: "cancelled" });
    t.like(await at.next("hook.finished"), {
      run,
      state: "cancelled",
      reason: "A user cancelled it.",
    });
  }
  t.like(await post<object>(at, "cancel", { run: first }), {
    status: 409,
    detail: `The run \`${first}\` has ended: it is cancelled.`,
  });
});

test("the latest refusals are listed with reasons, newest first", async (t) => {
  const at = await startFixture(t, DEPLOY);
  await at.post("deploy", push, { ...headers, "x-signature": "0".repeat(64) });
  await fetch(`${at.url}/deploy`);
  for (let count = 0; count < 9; count += 1) {
    const body = push.replace("main", `w${count}`);
    await at.post("deploy", body, { ...headers, "x-signature": sign(body) });
  }
  const answer = await at.plugin.control({ url: "/v1/hooks/hook?name=deploy" });
  const detail = answer.json() as HookDetail;
  t.like(detail, { name: "deploy", subject: "hook.deploy", rejected: 11, calls: 0 });
  t.is(detail.rejections.length, 10);
  const [newest] = detail.rejections;
  t.like(newest, { status: 403, trigger: "POST /hooks/deploy from 127.0.0.1" });
  t.regex(newest?.detail ?? "", /`payload.ref` is "refs\/heads\/w8"/);
  t.false(newest?.decision?.find(({ what }) => what === "when")?.holds);
  t.like(detail.rejections.at(-1), { status: 405, request: undefined });
  t.false(JSON.stringify(detail).includes("k-very-secret"));
});

const RULES = JSON.stringify([
  {
    id: "legacy",
    "execute-command": "/bin/echo",
    "pass-arguments-to-command": [{ source: "payload", name: "after" }],
    "trigger-rule": {
      and: [
        {
          match: {
            type: "payload-hmac-sha256",
            secret: "hunter22",
            parameter: { source: "header", name: "X-Sig" },
          },
        },
        {
          match: {
            type: "value",
            value: "refs/heads/main",
            parameter: { source: "payload", name: "ref" },
          },
        },
      ],
    },
  },
]);

test("hooks of a file are explained, recorded, replayed and triggered like others", async (t) => {
  const at = await startFixture(t, `${SERVER}hooks_file "old" { path = "./hooks.json" }`, {
    files: { "hooks.json": RULES },
  });
  const signature = { "x-sig": sign(push), "content-type": "application/json" };
  t.is((await at.post("legacy", push, signature)).status, 200);
  const { id, trigger } = await ran(t, at);
  const rule = trigger.decision.find(({ what }) => what === "rule");
  t.like(rule?.tree?.parts[1], {
    text: 'payload ref == "refs/heads/main"',
    outcome: "true",
    parts: [{ text: "payload ref", outcome: '"refs/heads/main"', parts: [] }],
  });
  t.is(rule?.tree?.parts[0]?.parts[0]?.outcome, '"(secret)"');
  t.like(await post<TriggerOutcome>(at, "replay", { run: id }), { outcome: "accepted" });
  t.is((await ran(t, at)).trigger.replayOf, id);
  const unsigned = { hook: "legacy", headers: { "content-type": "application/json" }, body: push };
  t.like(await post<TriggerOutcome>(at, "trigger", unsigned), { outcome: "accepted" });
  const response = await post<HookExplanation>(at, "explain", unsigned);
  t.like(response.refusal, { status: 403 });
  t.like(response.decision.find(({ what }) => what === "rule")?.tree?.parts[0], {
    text: "payload-hmac-sha256 of header X-Sig",
    outcome: "missing",
  });
});
