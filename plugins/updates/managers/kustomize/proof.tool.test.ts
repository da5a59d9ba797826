/** From an image in a registry to merged overlays. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { updatesFixture } from "../../testing/fixture.js";
import { ociRegistry } from "../../testing/oci-registry.js";
import { clonedFiles, notify, rules } from "../../testing/proof.js";

const withRegistry = needs(test, program("docker-registry"));

withRegistry.serial("a patch of an image is in all overlays, a major one waits", async (t) => {
  await using registry = await ociRegistry();
  const name = `${registry.host}/acme/app`;
  const files = (version: string, digest: string) => ({
    "base/kustomization.yaml": `images:\r\n- name: ${name}\r\n  newTag: ${version} # größer\r\n  digest: ${digest}\r\n`,
    "prod/kustomization.yaml": `resources: [../base]\nimages: [{ name: app, newName: ${name}, newTag: "${version}" }]\n`,
  });
  const at = await updatesFixture(t);
  const first = await registry.push("acme/app", "1.0.0");
  const repo = await at.repo("overlaid", files("1.0.0", first));
  await at.config(repo, rules("kustomize"));
  const patch = await registry.push("acme/app", "1.0.1");
  await notify(at, "kustomize", name, "1.0.1");
  await at.pulls(1, "state=merged");
  t.deepEqual(await clonedFiles(t, at, repo), files("1.0.1", patch));
  await registry.push("acme/app", "2.0.0");
  await notify(at, "kustomize", name, "2.0.0");
  await at.pulls(1, "state=open");
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
