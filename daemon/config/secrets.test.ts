import { inspect } from "node:util";
import test from "ava";
import { render } from "../../grammar/render.js";
import type { RunTimeExpression } from "./expression/expression.js";
import { plan } from "./plan.js";
import type { Program } from "./program.js";
import { resolveSecrets } from "./secrets.js";
import { programOf } from "./testing/load-files.js";
import { ConfiguredBlock } from "./values/block.js";
import type { SecretValue } from "./values/secret.js";

const text = `
let token = secret("env:TOKEN")
let keys = json_decode(secret("file:keys.json"))
hook "deploy" {
  run = ["true"]
  stdin = "\${let.token}:\${payload.ref}"
  env = { TOKEN = let.token, AUTH = "Basic \${base64("u:\${let.token}")}", COUNT = let.keys.count }
  verify "hmac" {
    header = "X"
    secret = let.keys.hmac ?? "none"
  }
}
`;

const contents: Readonly<Record<string, string>> = {
  "env:TOKEN": "hunter2",
  "file:/configuration/keys.json": '{"hmac": "k3y", "count": 5}',
};

function resolverOf(known: Readonly<Record<string, string>>) {
  const requested: string[] = [];
  const resolver = (reference: string): Promise<string> => {
    requested.push(reference);
    const content = known[reference];
    return content === undefined
      ? Promise.reject(new Error("it is not set"))
      : Promise.resolve(content);
  };
  return { requested, resolver };
}

async function resolved(source: string, known = contents): Promise<Program> {
  const { program, diagnostics } = await resolveSecrets(
    await programOf(source),
    resolverOf(known).resolver,
  );
  if (!program) throw new Error(diagnostics.map(({ message }) => message).join());
  return program;
}

const valuesOf = (program: Program) => program.blocks.get("hook.deploy")?.values ?? {};
const envOf = (program: Program) => valuesOf(program).env as Readonly<Record<string, SecretValue>>;

test("secrets are computed from what they are made of", async (t) => {
  const program = await resolved(text);
  t.is(envOf(program).TOKEN?.reveal(), "hunter2");
  t.is(envOf(program).AUTH?.reveal(), "Basic dTpodW50ZXIy");
  t.is(envOf(program).COUNT?.reveal(), "5");
  const [verify] = valuesOf(program).verify as readonly ConfiguredBlock[];
  t.is((verify?.values.secret as SecretValue | undefined)?.reveal(), "k3y");
});

test("each secret is read once", async (t) => {
  const { requested, resolver } = resolverOf(contents);
  await resolveSecrets(await programOf(text), resolver);
  t.deepEqual(requested.sort(), Object.keys(contents).sort());
});

test("a run-time expression over a secret gives a secret", async (t) => {
  const before = valuesOf(await programOf(text)).stdin as RunTimeExpression<SecretValue>;
  t.like(before.evaluate({ payload: { ref: "x" } }), {
    kind: "failed",
    message: "the secret has not been read yet",
  });
  const after = valuesOf(await resolved(text)).stdin as RunTimeExpression<SecretValue>;
  const result = after.evaluate({ payload: { ref: "main" } });
  t.is(result.kind === "value" ? result.value.reveal() : "", "hunter2:main");
  t.false(inspect(result, { depth: 9 }).includes("hunter2"));
  t.is(after.explain({ payload: { ref: "main" } }).outcome, "(secret)");
});

test("an expression carries its own secrets only", async (t) => {
  const { secrets } = valuesOf(await resolved(text)).stdin as RunTimeExpression;
  t.deepEqual([...(secrets?.keys() ?? [])], ["env:TOKEN"]);
});

test("a secret that cannot be read is a complaint on every value that needs it", async (t) => {
  const program = await programOf(text);
  const { diagnostics } = await resolveSecrets(program, resolverOf({ "env:TOKEN": "x" }).resolver);
  const sources = new Map([["main.reeve", { path: "main.reeve", text }]]);
  t.is(
    render(diagnostics, sources),
    `error[E509]: the secret "file:/configuration/keys.json" cannot be read: it is not set
 --> main.reeve:7:82
  |
7 |   env = { TOKEN = let.token, AUTH = "Basic \${base64("u:\${let.token}")}", COUNT = let.keys.count }
  |                                                                                  ^^^^^^^^^^^^^^
  = in: hook "deploy"

error[E509]: the secret "file:/configuration/keys.json" cannot be read: it is not set
  --> main.reeve:10:14
   |
10 |     secret = let.keys.hmac ?? "none"
   |              ^^^^^^^^^^^^^^^^^^^^^^^
   = in: hook "deploy"

2 errors, 0 warnings.
`,
  );
});

test("a secret of the wrong content is a complaint that does not quote it", async (t) => {
  const program = await programOf(text);
  const known = { ...contents, "file:/configuration/keys.json": "hunter3 is no JSON" };
  const { diagnostics } = await resolveSecrets(program, resolverOf(known).resolver);
  t.deepEqual([...new Set(diagnostics.map(({ code }) => code))], ["E509"]);
  t.false(JSON.stringify(diagnostics).includes("hunter3"));
});

test("a secret whose content changed is a change, whatever it is called", async (t) => {
  const old = await resolved(text);
  const renamed = text.replace('secret("env:TOKEN")', 'secret("env:SAME")');
  const again = await resolved(renamed, { ...contents, "env:SAME": "hunter2" });
  const reasons = (next: Program) =>
    plan(old, next).changes.flatMap((each) => each.reasons.map(({ path }) => path));
  t.deepEqual(reasons(again), []);
  const changed = await resolved(text, { ...contents, "env:TOKEN": "new" });
  t.deepEqual(reasons(changed), ["stdin", "env"]);
});

test("an unread secret is compared by what it is made of", async (t) => {
  const running = await resolved(text);
  t.is(plan(running, await programOf(text)).summary.unchanged, 1);
  const other = await programOf(text.replaceAll("env:TOKEN", "env:OTHER"));
  t.is(plan(running, other).summary.unchanged, 0);
});
