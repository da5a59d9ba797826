/** Commands on their way through the disk. */
import test from "ava";
import type { Secret } from "reeve/plugin";
import type { Command } from "../../plugins/hooks/decide/command.js";
import { decide } from "../../plugins/hooks/decide/decide.js";
import { type Parcel, pack, unpack } from "../../plugins/hooks/run/parcel.js";
import { request } from "../../plugins/hooks/testing/request.js";
import { hookOf } from "./hook-of.js";

const HOOK = `
run = ["x", payload.a]
env = { PLAIN = payload.a, TOKEN = secret("env:S"), MIX = "\${secret("env:S")}/\${payload.a}" }
stdin = secret("env:S")
`;

async function commandOf(body: string): Promise<Command> {
  const headers = {
    "x-hub-signature-256": "proof",
    "x-kind": "push",
    "content-type": "application/json",
  };
  const decision = decide(request({ body: '{"a":"one"}', headers }), await hookOf(body));
  if (decision.kind !== "run") throw new Error(decision.refusal.detail);
  return decision.command;
}

async function stored(body: string): Promise<Parcel> {
  return JSON.parse(JSON.stringify(pack(await commandOf(body), 1)));
}

const open = (value: string | Secret | undefined) =>
  typeof value === "object" ? value.reveal() : value;

test("a command comes back as it was, with the secrets of the hook as it is now", async (t) => {
  const parcel = await stored(HOOK);
  const command = unpack(await hookOf(HOOK), parcel);
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
  t.is(parcel.tried, 1);
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
  const command = unpack(await hookOf('run = ["x"]'), await stored(HOOK));
  t.regex(String(command), /the secret for the variable `TOKEN` is not there any more/);
});

test("a command that needs files of this daemon is not one for later", async (t) => {
  t.is(pack({ ...(await commandOf(HOOK)), fleeting: true }, 0), undefined);
});
