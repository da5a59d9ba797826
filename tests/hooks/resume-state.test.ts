/** Commands on their way through the disk. */
import test from "ava";
import {
  type CommandInput,
  type HookCommand,
  isSecret,
} from "../../plugins/hooks/decide/command.js";
import { decide } from "../../plugins/hooks/decide/decide.js";
import {
  type ResumeState,
  restoreResume,
  serializeResume,
} from "../../plugins/hooks/runs/resume-state.js";
import { request } from "../../plugins/hooks/testing/request.js";
import { hookOf } from "./hook-of.js";

const HOOK = `
run = ["x", payload.a]
env = { PLAIN = payload.a, TOKEN = secret("env:S"), MIX = "\${secret("env:S")}/\${payload.a}" }
stdin = secret("env:S")
`;

async function commandOf(body: string): Promise<HookCommand> {
  const headers = {
    "x-hub-signature-256": "proof",
    "x-kind": "push",
    "content-type": "application/json",
  };
  const decision = decide(request({ body: '{"a":"one"}', headers }), await hookOf(body));
  if (decision.kind !== "run") throw new Error(decision.refusal.detail);
  return decision.command;
}

async function stored(body: string): Promise<ResumeState> {
  return JSON.parse(JSON.stringify(serializeResume(await commandOf(body), 1)));
}

const open = (value: CommandInput | undefined) =>
  value !== undefined && isSecret(value) ? value.reveal() : value;

test("a command comes back as it was, with the secrets of the hook as it is now", async (t) => {
  const state = await stored(HOOK);
  const command = restoreResume(await hookOf(HOOK), state);
  if (typeof command === "string") return t.fail(command);
  t.deepEqual(command.argv, ["x", "one"]);
  t.deepEqual(
    Object.entries(command.env).map(([name, value]) => [name, open(value)]),
    [
      ["PLAIN", "one"],
      ["TOKEN", "hunter22"],
      ["MIX", "hunter22/one"],
    ],
  );
  t.is(open(command.stdin), "hunter22");
  t.is(state.tried, 1);
});

test("no secret goes to the disk, and nothing that proves who sends", async (t) => {
  const text = JSON.stringify(await stored(HOOK));
  t.false(text.includes("hunter22"));
  t.false(text.includes("proof"));
  t.true(
    text.includes("x-kind"),
    "since a secret is made of something in the request, that is kept",
  );
  t.false(JSON.stringify(await stored('run = ["x"]')).includes("x-kind"));
});

test("a secret that an edit has taken away cannot come back", async (t) => {
  const command = restoreResume(await hookOf('run = ["x"]'), await stored(HOOK));
  t.regex(String(command), /the secret for the variable `TOKEN` is gone/);
});

test("a command that needs files of this daemon is not one for later", async (t) => {
  t.is(serializeResume({ ...(await commandOf(HOOK)), fleeting: true }, 0), undefined);
});

const bodies: ReadonlyArray<readonly [what: string, bytes: Uint8Array]> = [
  ["every byte there is", Uint8Array.from({ length: 256 }, (_, index) => index)],
  ["text with a byte order mark", Buffer.from("\ufeffgrün")],
  ["nothing", new Uint8Array()],
];

for (const [what, bytes] of bodies) {
  test(`an input of ${what} comes back as it was`, async (t) => {
    const hook = await hookOf('run = ["x"]\nstdin = raw_body\nfiles = { F = raw_body }');
    const decision = decide(request({ body: bytes }), hook);
    if (decision.kind !== "run") return t.fail(decision.refusal.detail);
    const command = restoreResume(
      hook,
      JSON.parse(JSON.stringify(serializeResume(decision.command, 0))),
    );
    if (typeof command === "string") return t.fail(command);
    for (const content of [command.stdin, command.files?.F]) {
      t.deepEqual(Buffer.from(content as Uint8Array), Buffer.from(bytes));
    }
  });
}

test("a secret in an input that is no text can be recognised on its way to the disk", async (t) => {
  const hook = await hookOf('run = ["x"]\nstdin = raw_body');
  const body = Buffer.concat([Uint8Array.of(255), Buffer.from("hunter22")]);
  const decision = decide(request({ body }), hook);
  if (decision.kind !== "run") return t.fail(decision.refusal.detail);
  t.true(JSON.stringify(serializeResume(decision.command, 0)).includes("hunter22"));
});
