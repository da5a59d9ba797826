/** From a tag of a code host to a merged pipeline. */
import test from "ava";
import { updatesFixture } from "../../testing/fixture.js";
import { forge } from "../../testing/forge.js";
import { clonedFiles, notify, releasing, rules } from "../../testing/proof.js";

const FILE = ".gitlab-ci.yml";

test.serial("a file of another project moves to a patch, a major one waits", async (t) => {
  const remote = await forge("gitlab");
  t.teardown(() => remote[Symbol.asyncDispose]());
  remote.tokens.set("registry-token-1", "read");
  const release = await releasing(remote);
  await release("v1.0.0");
  const at = await updatesFixture(t, {
    inside: `registry "gitlab_ci" {
    url = "${new URL(remote.url).origin}/git"
    token = secret("env:REGISTRY_TOKEN")
  }`,
  });
  const text = (version: string): string =>
    `include:\r\n  - project: acme/site\r\n    ref: ${version}   # größer\r\n    file: /a.yml\r\n  - component: $CI_SERVER_FQDN/acme/site/lint@~latest\r\n`;
  const repo = await at.repo("piped", { [FILE]: text("v1.0.0") });
  await at.config(repo, rules("gitlab-ci"));
  await release("v1.0.1");
  await notify(at, "gitlab_ci", "acme/site", "v1.0.1");
  await at.pulls(1, "state=merged");
  t.deepEqual(await clonedFiles(t, at, repo), { [FILE]: text("v1.0.1") });
  await release("v2.0.0");
  await notify(at, "gitlab_ci", "acme/site", "v2.0.0");
  const [open] = await at.pulls(1, "state=open");
  t.is(open?.attributes.title, "Bump acme/site from v1.0.1 to v2.0.0");
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
