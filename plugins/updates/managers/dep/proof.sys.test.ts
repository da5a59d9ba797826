/** From a tag of a real remote to a pull request that waits for `dep ensure`; without a lock file it is merged. */
import test from "ava";
import { updatesFixture } from "../../testing/fixture.js";
import { forge } from "../../testing/forge.js";
import { clonedFiles, notify, releasing, rules } from "../../testing/proof.js";

const manifest = (version: string): string =>
  `[[constraint]]\n  name = "github.com/acme/site"\n  version = "=${version}"\n`;

test("a tag updates the manifest, and a stale lock file waits for review", async (t) => {
  const remote = await forge("github");
  t.teardown(() => remote[Symbol.asyncDispose]());
  remote.tokens.set("registry-token-1", "read");
  const release = await releasing(remote);
  const first = await release("v1.0.0");
  const at = await updatesFixture(t, {
    inside: `registry "dep" {
    url = "${new URL(remote.url).origin}/git"
    token = secret("env:REGISTRY_TOKEN")
  }`,
  });
  const free = await at.repo("free", { "Gopkg.toml": manifest("1.0.0") });
  const lock = (version: string, revision: string): string =>
    `[[projects]]\n  digest = "1:aa"\n  name = "github.com/acme/site"\n  packages = ["."]\n  revision = "${revision}"\n  version = "${version}"\n`;
  const locked = await at.repo("locked", {
    "Gopkg.toml": manifest("1.0.0"),
    "Gopkg.lock": lock("v1.0.0", first),
  });
  for (const repo of [free, locked]) {
    const created = await at.config(repo, rules("dep"));
    t.is(created.status, 201, created.text);
  }
  const second = await release("v1.0.1");
  await notify(at, "dep", "github.com/acme/site", "v1.0.1");
  await at.pulls(1, "state=merged");
  t.is((await clonedFiles(t, at, free))["Gopkg.toml"], manifest("1.0.1"));

  const [open] = await at.pulls(1, "state=open");
  t.regex(String(open?.attributes.body), /run `dep ensure`/);
  const head = String(open?.attributes["head-ref"]).replace("refs/heads/", "");
  await locked.git("fetch", "--quiet", "origin", head);
  t.is(`${await locked.git("show", "FETCH_HEAD:Gopkg.lock")}\n`, lock("v1.0.1", second));
  t.is((await clonedFiles(t, at, locked))["Gopkg.toml"], manifest("1.0.0"));
});
