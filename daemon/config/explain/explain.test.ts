import test from "ava";
import type { Program } from "../program.js";
import { resolveSecrets } from "../secrets.js";
import { programOf } from "../testing/load-files.js";
import { explainValue, type ValueExplanation } from "./explain.js";

const text = `let ci = env("CI", default = "false") == "true"
let slow = 10m
let limit = let.ci ? 1m : let.slow
let token = secret("env:TOKEN")

mixin "careful" {
  concurrency = 2
}

for repo in ["api", "web"] {
  hook "deploy-\${repo}" {
    use mixin.careful
    run = ["./deploy.sh", repo]
    timeout = let.limit
    stdin = let.token
    run_in = sandbox.build
    verify "hmac" {
      header = "X-\${repo}"
      secret = let.token
    }
  }
}

sandbox "build" {
  limits = { processes = 4 }
}
`;

const explained = (program: Program, path: string): ValueExplanation => {
  const explanation = explainValue(program, path);
  if ("problem" in explanation) throw new Error(explanation.problem);
  return explanation;
};
const at = ({ start, end }: { readonly start: number; readonly end: number }) =>
  text.slice(start, end);

test("a value is explained with its origin, step by step", async (t) => {
  const program = await programOf(text);
  const {
    value,
    type,
    origin,
    default: byDefault,
    reload,
    inputs,
    trace,
    doc,
  } = explained(program, 'hook["deploy-api"].timeout');
  t.is(value, "10m");
  t.is(type, "a duration");
  t.is(byDefault, "1m");
  t.is(reload, "live");
  t.is(doc, "How long the command may run.");
  t.deepEqual(
    origin.map((step) => [step.kind, step.text, step.value]),
    [
      ["attribute", "timeout = let.limit", undefined],
      ["let", "let limit = let.ci ? 1m : let.slow", "10m"],
      ["let", 'let ci = env("CI", default = "false") == "true"', "false"],
      ["let", "let slow = 10m", "10m"],
    ],
  );
  t.deepEqual(
    inputs.map((input) => input.kind === "environment" && input.name),
    ["CI"],
  );
  t.deepEqual(
    trace.map(({ description }) => description),
    ['`for repo in ["api", "web"]`'],
  );
});

test("a default says so", async (t) => {
  const { value, origin, location } = explained(
    await programOf(text),
    'hook["deploy-api"].methods',
  );
  t.is(value, '["POST"]');
  t.deepEqual(
    origin.map(({ kind, text: written }) => [kind, written]),
    [["default", 'methods = ["POST"]']],
  );
  t.is(at(location), 'hook "deploy-${repo}"');
});

test("what a mixin brought names the mixin", async (t) => {
  const { origin } = explained(await programOf(text), 'hook["deploy-web"].concurrency');
  t.like(origin[0], { kind: "attribute", text: "concurrency = 2", from: "mixin.careful" });
});

test("a loop variable is explained with its value", async (t) => {
  const { value, origin, location } = explained(
    await programOf(text),
    'hook["deploy-web"].verify[0].header',
  );
  t.is(value, '"X-web"');
  t.is(at(location), '"X-${repo}"');
  t.like(origin[1], { kind: "variable", text: "repo", value: '"web"' });
  t.is(at(origin[1]?.location ?? { start: 0, end: 0 }), '"web"');
});

test("a secret is explained by its source, never by its content", async (t) => {
  const { value, origin } = explained(await programOf(text), 'hook["deploy-api"].verify[0].secret');
  t.is(value, "(secret)");
  t.deepEqual(
    origin.map((step) => step.value),
    [undefined, "(secret)"],
  );
});

test("a program whose secrets are resolved is explained like the one it was made of", async (t) => {
  const program = await programOf(text);
  const { program: resolved } = await resolveSecrets(program, async () => "hunter2");
  const path = 'hook["deploy-api"].stdin';
  t.deepEqual(explained(resolved ?? program, path), explained(program, path));
});

test("a reference names the block it depends on", async (t) => {
  const { value, references } = explained(await programOf(text), 'hook["deploy-api"].run_in');
  t.is(value, "sandbox.build");
  t.deepEqual(references, ["sandbox.build"]);
});

test("a block and a part of an object can be asked for too", async (t) => {
  const program = await programOf(text);
  t.is(explained(program, "sandbox.build.limits.processes").value, "4");
  t.is(explained(program, "sandbox.build").origin[0]?.text, 'sandbox "build"');
  t.regex(explained(program, "sandbox.build").value, /^sandbox "build" \{ limits = /);
});

test("a path that leads nowhere says so, with what is near", async (t) => {
  const program = await programOf(text);
  t.deepEqual(explainValue(program, 'hook["deploy-api"].timeuot'), {
    problem: 'there is no `timeuot` in `hook["deploy-api"].timeuot`',
    suggestion: "timeout",
  });
  t.deepEqual(explainValue(program, "sandbox.biuld"), {
    problem: "there is no block at `sandbox.biuld`",
    suggestion: "sandbox.build",
  });
  t.like(explainValue(program, "1 +"), { problem: "there is no block at `1 +`" });
});

test("values in a block keep their units, and what it lacks is not shown", async (t) => {
  const program = await programOf(
    'sandbox "a" {\n  memory = 2GiB\n}\nsettings "b" {\n  schema = "x"\n  watch = []\n}',
  );
  t.regex(explained(program, "sandbox.a").value, /memory = 2GiB/);
  t.notRegex(explained(program, "sandbox.a").value, /mount/);
  t.regex(explained(program, "settings.b").value, /debounce = 100ms/);
});
