/** From a tag of a runtime to merged files, its image included. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { updatesFixture } from "../../testing/fixture.js";
import { forge } from "../../testing/forge.js";
import { ociRegistry } from "../../testing/oci-registry.js";
import { clonedFiles, notify, releasing, rules } from "../../testing/proof.js";

const withRegistry = needs(test, program("docker-registry"));

withRegistry.serial("a patch is merged in all files at once, a major version waits", async (t) => {
  const remote = await forge("github");
  t.teardown(() => remote[Symbol.asyncDispose]());
  remote.tokens.set("registry-token-1", "read");
  const release = await releasing(remote);
  await release("v22.1.0");
  await using images = await ociRegistry();
  await images.push("library/node", "22.1.0-slim");
  const at = await updatesFixture(t, {
    inside: `registry "runtimes" {
    url = "${new URL(remote.url).origin}/git/acme/site"
    scope = "node"
    token = secret("env:REGISTRY_TOKEN")
  }
  registry "docker" { url = "http://${images.host}" }`,
  });
  const files = (version: string) => ({
    ".nvmrc": `v${version}\r\n`,
    "web/.tool-versions": `# größer\nnodejs ${version} 20.1.0\n`,
    "web/Dockerfile": `FROM node:${version}-slim\n`,
  });
  const repo = await at.repo("site", files("22.1.0"));
  await at.config(repo, rules("runtimes"));
  await at.config(repo, { ...rules("docker"), directory: "/web" });
  await release("v22.1.1");
  await images.push("library/node", "22.1.1-slim");
  await notify(at, "runtimes", "nodejs", "22.1.1");
  const [merged] = await at.pulls(1, "state=merged");
  t.is(merged?.attributes.title, "Bump node from 22.1.0 to 22.1.1");
  t.deepEqual(await clonedFiles(t, at, repo), files("22.1.1"));
  await release("v24.1.0");
  await images.push("library/node", "24.1.0-slim");
  await notify(at, "docker", "node", "24.1.0");
  await notify(at, "runtimes", "node", "24.1.0");
  const [open, ...others] = await at.pulls(1, "state=open");
  t.is(open?.attributes.title, "Bump node from 22.1.1 to 24.1.0");
  t.deepEqual(others, []);
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
