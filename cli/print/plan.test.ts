import test from "ava";
import { plan } from "../../daemon/config/plan.js";
import { programOf } from "../../daemon/config/testing/load-files.js";
import { changesAnything, renderPlan } from "./plan.js";

const plain = (_style: unknown, text: string) => text;

const before = `
sandbox "build" {
  allow = ["a.org"]
  memory = 1GiB
}
sandbox "kept" {}
sandbox "gone" {}
daemon { settle = 1s }
`;
const after = `
sandbox "build" {
  allow = ["a.org", "b.org"]
  memory = 2GiB
  engine = "docker"
}
sandbox "kept" {}
## Where guests stay.
## Nobody else.
sandbox "new" {}
hook "deploy" { run = ["true"] }
daemon { settle = 2s }
`;

test("every change is shown with its reasons; unchanged blocks are counted", async (t) => {
  const [old, young] = [await programOf(before), await programOf(after)];
  const docOf = (key: string) => young.blocks.get(key)?.doc;
  t.is(
    renderPlan(plan(old, young), { paint: plain, docOf }),
    `! sandbox.build is replaced by a new one
    allow: ["a.org"] -> ["a.org", "b.org"]
    memory: 1GiB -> 2GiB  # replaces the block
    engine: "namespaces" -> "docker"  # only a new daemon takes this over
+ sandbox.new is added
    ## Where guests stay.
+ hook.deploy is added
- sandbox.gone is removed
~ daemon is updated while it runs
    settle: 1s -> 2s

2 added, 1 replaced, 1 removed, 1 setting of the daemon changed, 1 unchanged.
Until the daemon is started anew, these stay as they are: sandbox.build.engine.
`,
  );
});

test("the same configuration changes nothing", async (t) => {
  const [old, young] = [await programOf(before), await programOf(`\n# moved\n${before}`)];
  const none = plan(old, young);
  t.false(changesAnything(none));
  t.is(renderPlan(none, { paint: plain }), "Nothing changes: 3 blocks, as before.\n");
});

test("a setting of the daemon alone is a change", async (t) => {
  const [old, young] = [await programOf("daemon { settle = 1s }"), await programOf("")];
  t.true(changesAnything(plan(old, young)));
});

test("a secret is not shown", async (t) => {
  const hook = (name: string) =>
    `hook "a" {\n  run = ["true"]\n  verify "hmac" {\n    header = "X"\n    secret = secret("env:${name}")\n  }\n}`;
  const [old, young] = [await programOf(hook("OLD")), await programOf(hook("NEW"))];
  t.is(
    renderPlan(plan(old, young), { paint: plain }).split("\n")[1],
    "    verify[0].secret: (secret) -> (secret)  # replaces the block",
  );
});
