import { writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder, reeve } from "../../../cli/testing/reeve.js";

const hooks = `
// A file as its owner wrote it.
[
  {
    "id": "deploy",
    "execute-command": "/bin/echo",
    "pass-arguments-to-command": [{ "source": "payload", "name": "after" }],
    "trigger-rule": {
      "and": [
        { "match": { "type": "payload-hmac-sha256", "secret": "hunter22", "parameter": { "source": "header", "name": "X-Hub-Signature-256" } } },
        { "not": { "match": { "type": "value", "value": "true", "parameter": { "source": "payload", "name": "deleted" } } } },
      ],
    },
  },
]
`;

test("what it prints passes the check and is formatted, and secrets are asked for", async (t) => {
  const cwd = folder(t, { "hooks.json": hooks });
  const { code, stdout, stderr } = await reeve(["hook", "convert", "hooks.json"], { cwd });
  t.is(code, 0);
  t.is(stderr, "Put the hook's secret into the variable DEPLOY_SECRET of the daemon.\n");
  t.notRegex(stdout, /hunter22/);
  writeFileSync(join(cwd, "main.reeve"), stdout);
  const checked = await reeve(["check"], { cwd });
  t.is(checked.code, 0, checked.stderr);
  t.is((await reeve(["fmt", "--check"], { cwd })).code, 0);
});

test("hooks that cannot be said are named with their line and the reason", async (t) => {
  const text = '[\n {"id": "x", "execute-command": "a", "success-http-response-code": 999}\n]';
  const cwd = folder(t, { "hooks.json": text });
  const { code, stderr } = await reeve(["hook", "convert", "hooks.json"], { cwd });
  t.is(code, 1);
  t.is(stderr, "hooks.json:2: the hook `x` is left out: 999 is not a status of HTTP.\n");
});

test("a template is expanded first", async (t) => {
  const text = '[{"id": "{{ getenv "NAME" | js }}", "execute-command": "a"}]';
  const cwd = folder(t, { "hooks.json": text });
  const words = ["hook", "convert", "--template", "hooks.json"];
  const { code, stdout } = await reeve(words, { cwd, env: { NAME: "deploy" } });
  t.is(code, 0);
  t.regex(stdout, /^hook "deploy" \{$/m);
  const broken = folder(t, { "hooks.json": "[{{ nothing }}]" });
  t.is((await reeve(words, { cwd: broken })).code, 78);
});

test("a file that is none is refused in its place", async (t) => {
  const cwd = folder(t, { "hooks.yaml": "- id: x\n  http-methods: POST\n" });
  const { code, stderr } = await reeve(["hook", "convert", "hooks.yaml"], { cwd });
  t.is(code, 78);
  t.regex(stderr, /hooks\.yaml:2:17: `http-methods` is a list/);
});
