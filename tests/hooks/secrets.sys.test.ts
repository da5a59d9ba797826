/** A secret that is everywhere it can be is nowhere it can be read: a sweep over all that a daemon keeps, says and starts. */
import { createHmac } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { folder } from "../../cli/testing/reeve.js";
import { running } from "../../cli/testing/running.js";
import { output } from "../support/child.js";
import { eventually } from "../support/eventually.js";

const CANARY = "c4nary-Sesame/+=öffne dich";
const PLAIN = "pl41n-canary-0123456789";

const main = `hook_server "main" { listen = "127.0.0.1:0" }
hook "all" {
  verify "hmac" {
    header = "X-Proof"
    secret = [secret("file:./canary"), secret("file:./plain")]
  }
  when = payload.word != "other" && payload.go
  run = ["sh", "-c", "echo out $A; echo err $B >&2; cat; env; touch began; until [ -e go ]; do sleep 0.05; done; exit 3"]
  env = { A = secret("file:./canary"), B = secret("file:./plain") }
  stdin = secret("file:./canary")
}
hook "wrong" {
  verify "token" {
    header = "X-Secret-Word"
    secret = secret("file:./plain")
  }
  run = ["./nothing-there"]
  env = { A = secret("file:./canary") }
}
hooks_file "old" { path = "./hooks.json" }
`;
const legacy = JSON.stringify([
  {
    id: "legacy",
    "execute-command": "/bin/false",
    "trigger-rule": {
      or: [
        {
          match: {
            type: "payload-hmac-sha256",
            secret: PLAIN,
            parameter: { source: "header", name: "X-Proof" },
          },
        },
        {
          match: { type: "value", value: PLAIN, parameter: { source: "header", name: "X-Token" } },
        },
      ],
    },
  },
]);

function allFiles(directory: string): readonly string[] {
  return readdirSync(directory, { recursive: true, encoding: "utf8" })
    .map((name) => join(directory, name))
    .filter((path) => statSync(path).isFile());
}

test("secrets are in no file of the state, no log line, event, run, metric, answer, command's arguments or explanation", async (t) => {
  const cwd = folder(t, { "main.reeve": main, "hooks.json": legacy, canary: CANARY, plain: PLAIN });
  const daemon = await running(t, cwd, ["--log-format", "json", "--log-level", "debug"]);
  const { hooks } = JSON.parse((await daemon.reeve("hook", "list", "--json")).stdout) as {
    hooks: ReadonlyArray<{ name: string; url: string }>;
  };
  const url = (name: string): string => hooks.find((hook) => hook.name === name)?.url ?? "";
  const body = JSON.stringify({ go: true, word: PLAIN, note: `it is ${CANARY}` });
  const proof = createHmac("sha256", PLAIN).update(body).digest("hex");
  const headers = {
    "content-type": "application/json",
    "x-token": PLAIN,
    authorization: `Bearer ${PLAIN}`,
    cookie: `word=${PLAIN}`,
  };
  const query = `?token=${encodeURIComponent(CANARY)}&plain=${PLAIN}`;
  const said: string[] = [];
  const send = async (to: string, more: Readonly<Record<string, string>>): Promise<void> => {
    const answer = await fetch(to, { method: "POST", body, headers: { ...headers, ...more } });
    said.push(await answer.text(), JSON.stringify([...answer.headers]));
  };
  await send(url("all") + query, { "x-proof": proof });
  await eventually("the command to begin", () => existsSync(join(cwd, "began")));
  said.push(output("ps", ["-eo", "args"]));
  writeFileSync(join(cwd, "go"), "");
  await send(url("all") + query, { "x-proof": "0".repeat(64) });
  await send(url("wrong") + query, { "x-secret-word": PLAIN });
  await send(url("wrong") + query, { "x-secret-word": `${PLAIN}-not` });
  await send(url("legacy") + query, { "x-proof": proof });
  for (const hook of ["all", "wrong", "legacy"]) {
    await daemon.event(({ type, data }) => type === "hook.finished" && data.hook === hook);
  }
  for (const words of [
    ["hook", "list", "--json"],
    ["hook", "show", "all", "--json"],
    ["hook", "show", "wrong"],
    ["hook", "show", "legacy", "--json"],
    ["hook", "runs", "--json"],
    ["hook", "logs"],
    ["hook", "logs", "--json"],
    ["events", "--no-follow", "--json", "--since", "0"],
    ["status", "--json"],
    ["panels", "--json"],
    ["history", "--json"],
    ["plan"],
    [
      "hook",
      "explain",
      "all",
      "--header",
      `authorization: Bearer ${PLAIN}`,
      "--body",
      "main.reeve",
    ],
  ]) {
    const { stdout, stderr } = await daemon.reeve(...words);
    said.push(stdout, stderr);
  }
  t.is(await daemon.end(), 0);
  said.push(daemon.stdout, daemon.stderr);
  for (const path of allFiles(join(cwd, "state"))) {
    said.push(readFileSync(path, "latin1"), readFileSync(path, "utf8"));
  }
  const all = said.join("\n");
  t.true(all.includes("hook.rejected") && all.includes("(secret)"), "there is something to search");
  for (const spelling of [
    CANARY,
    "c4nary-Sesame",
    encodeURIComponent(CANARY),
    Buffer.from(CANARY).toString("base64"),
    PLAIN,
    Buffer.from(PLAIN).toString("base64"),
    proof,
  ]) {
    const at = all.indexOf(spelling);
    t.is(at, -1, `${spelling} in: …${all.slice(Math.max(0, at - 300), at + 100)}…`);
  }
});
