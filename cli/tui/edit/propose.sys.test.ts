/** From a denied domain to a confirmed edit: real files, the real pipeline. */
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { Failure } from "../../plugin-api/exit.js";
import { folder } from "../../testing/reeve.js";
import { proposeAddition, write } from "./propose.js";

const wanted = {
  block: "sandbox",
  label: "build",
  attribute: "allow",
  entry: "registry.example.org",
};
const propose = (directory: string) => proposeAddition(join(directory, "main.reeve"), wanted);

async function refusal(t: ExecutionContext, proposal: Promise<unknown>): Promise<string> {
  const failure = await t.throwsAsync(proposal, { instanceOf: Failure });
  return `${failure?.message} ${failure?.help ?? ""}`;
}

test("the difference and the plan are shown, and nothing is written until then", async (t) => {
  const before = 'sandbox "build" {\n  allow = ["example.com"]\n}\n';
  const directory = folder(t, { "main.reeve": before });
  const { edit, text } = await propose(directory);
  t.regex(text, /^- {3}allow = \["example\.com"\]$/m);
  t.regex(text, /^\+ {3}allow = \["example\.com", "registry\.example\.org"\]$/m);
  t.regex(text, /sandbox\.build/);
  const file = join(directory, "main.reeve");
  t.is(readFileSync(file, "utf8"), before);
  await write(edit);
  t.is(readFileSync(file, "utf8"), before.replace('"]', '", "registry.example.org"]'));
});

test("the file that has the block is the one that changes", async (t) => {
  const directory = folder(t, {
    "main.reeve": 'import "fences/*.reeve"\n',
    "fences/build.reeve": 'sandbox "build" {}\n',
  });
  const { edit } = await propose(directory);
  t.is(edit.path, join(directory, "fences/build.reeve"));
  t.regex(edit.after, /allow = \["registry\.example\.org"\]/);
});

const uneditable: ReadonlyArray<readonly [what: string, text: string, why: RegExp]> = [
  [
    "what a loop makes",
    'for name in ["build"] {\n  sandbox "${name}" {}\n}\n',
    /no file .* as a block of its own: a loop, a mixin or JSON makes it[\s\S]*by hand/,
  ],
  [
    "a computed list",
    'sandbox "build" {\n  allow = concat(["a.example"], ["b.example"])\n}\n',
    /in `.*main\.reeve`, its `allow` is computed[\s\S]*by hand/,
  ],
  ["a block that is not there", 'sandbox "other" {}\n', /no file .* `sandbox "build"`/],
];
for (const [what, text, why] of uneditable) {
  test(`${what} is not edited, and why is said`, async (t) => {
    const directory = folder(t, { "main.reeve": text });
    t.regex(await refusal(t, propose(directory)), why);
    t.is(readFileSync(join(directory, "main.reeve"), "utf8"), text);
  });
}

test("what would not be valid is not proposed", async (t) => {
  const directory = folder(t, { "main.reeve": 'sandbox "build" {}\n' });
  const proposal = proposeAddition(join(directory, "main.reeve"), {
    ...wanted,
    entry: "no domain",
  });
  t.regex(
    await refusal(t, proposal),
    /cannot add `no domain` to `allow` of `sandbox "build"`: .* would be invalid/,
  );
});

test("a file that has changed since is not overwritten", async (t) => {
  const directory = folder(t, { "main.reeve": 'sandbox "build" {}\n' });
  const { edit } = await propose(directory);
  const theirs = 'sandbox "build" {\n  memory = 1GiB\n}\n';
  writeFileSync(edit.path, theirs);
  t.regex(await refusal(t, write(edit)), /has changed in the meantime; nothing was written/);
  t.is(readFileSync(edit.path, "utf8"), theirs);
});
