/** From a tag of a code host to a merged revision with its comment. */
import test from "ava";
import { updatesFixture } from "../../testing/fixture.js";
import { forge } from "../../testing/forge.js";
import { clonedFiles, notify, releasing, rules } from "../../testing/proof.js";

const FILE = ".pre-commit-config.yaml";

test.serial("a frozen revision and its comment are in the clone, a major one waits", async (t) => {
  const remote = await forge("github");
  t.teardown(() => remote[Symbol.asyncDispose]());
  remote.tokens.set("registry-token-1", "read");
  const release = await releasing(remote);
  const first = await release("v1.0.0");
  const base = `${new URL(remote.url).origin}/git`;
  const at = await updatesFixture(t, {
    inside: `registry "pre_commit" {
    url = "${base}"
    token = secret("env:REGISTRY_TOKEN")
  }`,
  });
  const text = (commit: string, version: string): string =>
    `repos:\n- repo: ${base}/acme/site\n  rev: ${commit}  # frozen: ${version}\n  hooks:\n  - id: a\n- repo: ${base}/acme/site\n  rev: main\n  hooks: []\n`;
  const repo = await at.repo("hooked", { [FILE]: text(first, "v1.0.0"), other: "x\n" });
  await at.config(repo, rules("pre-commit"));
  const patch = await release("v1.0.1");
  await notify(at, "pre_commit", `${base}/acme/site`, "v1.0.1");
  await at.pulls(1, "state=merged");
  t.deepEqual(await clonedFiles(t, at, repo), { [FILE]: text(patch, "v1.0.1"), other: "x\n" });
  await release("v2.0.0");
  await notify(at, "pre_commit", `${base}/acme/site`, "v2.0.0");
  const [open] = await at.pulls(1, "state=open");
  t.is(open?.attributes.title, `Bump ${base}/acme/site from v1.0.1 to v2.0.0`);
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
