/** The commands about hooks, against a real daemon. */
import { createHmac } from "node:crypto";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder, reeve } from "../../../cli/testing/reeve.js";
import { running } from "../../../cli/testing/running.js";

const main = `hook_server "main" { listen = "127.0.0.1:0" }
hook "deploy" {
  verify "github" { secret = secret("file:./key") }
  when = payload.ref == "refs/heads/main"
  run = ["sh", "-c", "echo rolling out $1", "sh", payload.after]
}
hook "slow" {
  run = ["sh", "-c", "echo begun; sleep 60"]
}
hooks_file "old" { path = "./hooks.json" }
`;
const hooksJson = JSON.stringify([
  {
    id: "legacy",
    "execute-command": "/bin/echo",
    "trigger-rule": {
      match: { type: "value", value: "x", parameter: { source: "url", name: "a" } },
    },
  },
]);
const push = { ref: "refs/heads/main", after: "abc" };
const files = {
  "main.reeve": main,
  "hooks.json": hooksJson,
  key: "sesame-sesame",
  "push.json": JSON.stringify(push),
  "wip.json": JSON.stringify({ ...push, ref: "refs/heads/wip" }),
  "push.http": `POST /hooks/deploy HTTP/1.1\nContent-Type: application/json\n\n${JSON.stringify(push)}`,
};

test("a hook is listed, explained, triggered, shown, replayed and cancelled", async (t) => {
  const cwd = folder(t, files);
  const daemon = await running(t, cwd);
  const body = JSON.stringify(push);
  const signature = createHmac("sha256", "sesame-sesame").update(body).digest("hex");
  const { hooks } = JSON.parse((await daemon.reeve("hook", "list", "--json")).stdout);
  t.deepEqual(
    hooks.map(({ name }: { name: string }) => name),
    ["deploy", "slow", "legacy"],
  );
  const [{ url }] = hooks as [{ url: string }];
  const headers = {
    "content-type": "application/json",
    "x-hub-signature-256": `sha256=${signature}`,
  };
  t.is((await fetch(url, { method: "POST", body, headers })).status, 202);
  t.is(
    (
      await fetch(url, {
        method: "POST",
        body,
        headers: { ...headers, "x-hub-signature-256": "no" },
      })
    ).status,
    401,
  );
  await daemon.event(({ type }) => type === "hook.finished");

  const explained = await daemon.reeve("hook", "explain", "deploy", "--request", "push.http");
  t.is(explained.code, 1);
  t.regex(
    explained.stdout,
    /^no {2}sender {3}not verified: `verify "github"` .*; the request has no `x-hub-signature-256`$/m,
  );
  t.regex(explained.stdout, /^ {4}payload\.ref == "refs\/heads\/main" {2}is true$/m);
  t.regex(explained.stdout, /^refused with 401 \(bad_signature\)/m);

  const triggered = await daemon.reeve("hook", "trigger", "deploy", "--body", "push.json", "-f");
  t.is(triggered.code, 0, triggered.stderr);
  t.regex(triggered.stdout, /rolling out abc\n/);
  t.regex(triggered.stdout, /succeeded/);
  const refused = await daemon.reeve("hook", "trigger", "deploy", "--body", "wip.json");
  t.is(refused.code, 1);
  t.regex(refused.stdout, /^refused with 403 \(condition_not_met\)/m);
  t.like(await daemon.reeve("hook", "trigger", "deplyo"), {
    code: 1,
    stderr: "reeve: there is no hook `deplyo`\nDid you mean `deploy`?\n",
  });

  const { runs } = JSON.parse((await daemon.reeve("hook", "runs", "deploy", "--json")).stdout);
  t.is(runs.length, 2);
  const [byHand, signed] = runs as [{ id: string }, { id: string }];
  const shown = await daemon.reeve("hook", "show", signed.id);
  t.regex(shown.stdout, /x-hub-signature-256: \(secret\)\n/);
  t.regex(shown.stdout, /yes sender {3}`verify "github"` holds\n/);
  t.regex(shown.stdout, /rolling out abc\n$/);
  t.false(shown.stdout.includes(signature));
  const about = await daemon.reeve("hook", "show", "deploy");
  t.regex(about.stdout, /calls +2 accepted, 1 refused, 0 failed/);
  t.regex(about.stdout, / 401 {2}POST \/hooks\/deploy from 127\.0\.0\.1\n/);

  const dry = await daemon.reeve("hook", "replay", signed.id, "--dry-run");
  t.is(dry.code, 0);
  t.regex(dry.stdout, /^runs sh -c /m);
  const replayed = await daemon.reeve("hook", "replay", signed.id, "--json");
  const { run } = JSON.parse(replayed.stdout) as { run: string };
  await daemon.event(({ type, data }) => type === "hook.finished" && data.run === run);
  t.regex((await daemon.reeve("hook", "show", run)).stdout, new RegExp(`replay of ${signed.id}`));
  const logs = await daemon.reeve("hook", "logs", "deploy");
  t.is(logs.stdout.match(/rolling out abc/g)?.length, 3);
  t.true(logs.stdout.indexOf(signed.id) < logs.stdout.indexOf(byHand.id), "oldest first");

  const slow = await daemon.reeve("hook", "trigger", "slow", "--json");
  const { run: going } = JSON.parse(slow.stdout) as { run: string };
  const follow = daemon.reeve("hook", "logs", "--follow", going);
  t.like(await daemon.reeve("hook", "cancel", going), { code: 0, stdout: "cancelled\n" });
  t.regex((await follow).stdout, /cancelled[\s\S]*A user cancelled it\./);
  t.like(await daemon.reeve("hook", "cancel", going), {
    code: 1,
    stderr: `reeve: The run \`${going}\` has ended: it is cancelled\n`,
  });
  t.is(await daemon.end(), 0);
});

const offline: ReadonlyArray<
  readonly [
    words: readonly string[],
    code: number,
    says: RegExp,
    env?: Readonly<Record<string, string>>,
  ]
> = [
  [["deploy", "--body", "push.json", "--config", "main.reeve"], 0, /^runs sh -c /m],
  [
    ["deploy", "--body", "push.json", "--config", "main.reeve"],
    0,
    /sender +not verified: the secrets/,
  ],
  [["deploy", "--body", "wip.json", "--config", "."], 1, /payload\.ref {2}is "refs\/heads\/wip"/],
  [["legacy", "--query", "a=x", "--config", "main.reeve"], 0, /^runs \/bin\/echo/m],
  [
    ["legacy", "--query", "a=y", "--config", "hooks.json"],
    1,
    /url a == "x" {2}is false\n {6}url a {2}is "y"/,
  ],
  [["legcy", "--config", "hooks.json"], 1, /there is no hook `legcy`\nDid you mean `legacy`\?/],
  [["deploy", "--header", "nonsense", "--config", "."], 64, /`--header nonsense` has no `:`/],
  [["deploy", "--body", "nothing", "--config", "."], 66, /`nothing` cannot be read/],
  [["deploy", "--config", "broken.reeve"], 78, /the configuration is invalid/],
];
for (const [words, code, says] of offline) {
  test(`\`hook explain ${words.join(" ")}\` needs no daemon: ${says.source}`, async (t) => {
    const cwd = folder(t, { ...files, "broken.reeve": "hook {" });
    const ended = await reeve(["hook", "explain", ...words], { cwd });
    t.is(ended.code, code, ended.stderr);
    t.regex(ended.stdout + ended.stderr, says);
  });
}

test("offline, proofs are looked at where the secrets are in the environment", async (t) => {
  const cwd = folder(t, files);
  writeFileSync(join(cwd, "main.reeve"), main.replace("file:./key", "env:KEY"));
  const words = ["hook", "explain", "deploy", "--body", "push.json", "--config", "."];
  const ended = await reeve(words, { cwd, env: { KEY: "sesame-sesame" } });
  t.is(ended.code, 1);
  t.regex(ended.stdout, /^refused with 401/m);
  const body = files["push.json"];
  const signature = createHmac("sha256", "sesame-sesame").update(body).digest("hex");
  const header = ["--header", `X-Hub-Signature-256: sha256=${signature}`];
  const proved = await reeve([...words, ...header], { cwd, env: { KEY: "sesame-sesame" } });
  t.is(proved.code, 0, proved.stdout);
  t.regex(proved.stdout, /yes sender {3}`verify "github"` holds/);
});

test("schedules are listed with their next times", async (t) => {
  const cwd = folder(t, {
    "main.reeve": 'schedule "nightly" {\n  cron = "30 2 * * *"\n  run = ["true"]\n}\n',
  });
  const daemon = await running(t, cwd);
  const list = await daemon.reeve("schedule", "list");
  t.is(list.code, 0, list.stderr);
  t.regex(list.stdout, /^SCHEDULE +RULE +NEXT/m);
  t.regex(list.stdout, /^nightly +30 2 \* \* \* UTC/m);
  const next = await daemon.reeve("schedule", "list", "nightly");
  t.is(next.stdout.trim().split("\n").length, 10);
  t.like(await daemon.reeve("schedule", "list", "nigthly"), { code: 1 });
});

test("a task is listed, run and followed", async (t) => {
  const cwd = folder(t, {
    "main.reeve": `task "build" {
  param "version" {}
  run = ["echo", param.version]
}
task "smoke" {
  after = [task.build]
  run = ["echo", "tested", parent.output]
}
`,
  });
  const daemon = await running(t, cwd);
  t.regex((await daemon.reeve("task", "list")).stdout, /^build +version/m);
  const ended = daemon.event(
    ({ type, data }) => type === "task.finished" && data?.task === "smoke",
  );
  const built = await daemon.reeve("task", "run", "build", "version=v1", "--wait");
  t.is(built.code, 0, built.stderr);
  t.regex(built.stdout, /^v1$/m);
  await ended;
  const [first] = JSON.parse((await daemon.reeve("runs", "--kind", "task", "--json")).stdout).runs;
  const { trace } = first.detail;
  const chain = JSON.parse((await daemon.reeve("runs", "--trace", trace, "--json")).stdout).runs;
  t.deepEqual(
    chain.map(({ subject }: { subject: string }) => subject),
    ["task.smoke", "task.build"],
  );
  t.like(await daemon.reeve("task", "run", "biuld"), { code: 1 });
  t.like(await daemon.reeve("task", "run", "build", "version"), { code: 64 });
  const refused = await daemon.reeve("task", "run", "build");
  t.is(refused.code, 1);
  t.regex(refused.stderr, /needs the parameter `version`/);
});
