/** From a feature in a registry to a merged lock file with its digest. */

import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { updatesFixture } from "../../testing/fixture.js";
import { ociRegistry } from "../../testing/oci-registry.js";
import { clonedFiles, notify, rules } from "../../testing/proof.js";

const withRegistry = needs(test, program("docker-registry"));

withRegistry.serial("a patch of a feature is merged, a major one waits", async (t) => {
  await using registry = await ociRegistry();
  const name = `${registry.host}/acme/node`;
  const publish = (version: string, tag: string): Promise<string> =>
    registry.push("acme/node", version, version, [tag], {
      "dev.containers.metadata": JSON.stringify({ version }),
    });
  const files = (version: string, digest: string) => ({
    ".devcontainer.json": `{\n  // größer\n  "features": { "${name}:1": {} },\n}\n`,
    ".devcontainer-lock.json": `{ "features": { "${name}:1": { "version": "${version}", "resolved": "${name}@${digest}", "integrity": "${digest}" } } }\n`,
  });
  const at = await updatesFixture(t);
  const repo = await at.repo("contained", files("1.0.0", await publish("1.0.0", "1")));
  await at.config(repo, rules("devcontainers"));
  const patch = await publish("1.0.1", "1");
  await notify(at, "devcontainers", name, "1.0.1");
  await at.pulls(1, "state=merged");
  t.deepEqual(await clonedFiles(t, at, repo), files("1.0.1", patch));
  await publish("2.0.0", "2");
  await notify(at, "devcontainers", name, "2.0.0");
  const [open] = await at.pulls(1, "state=open");
  t.is(open?.attributes.title, `Bump ${name} from 1.0.1 to 2.0.0`);
  t.is((await at.pulls(1, "state=merged")).length, 1);
});
