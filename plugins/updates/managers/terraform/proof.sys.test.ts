/** From a release in a registry of providers to a merged lock file with its sums. */
import test from "ava";
import { updatesFixture } from "../../testing/fixture.js";
import { clonedFiles, notify, rules } from "../../testing/proof.js";
import { LOCK_HEAD, lockEntry, terraformRegistry } from "../../testing/terraform-registry.js";

const ADDRESS = "registry.terraform.io/acme/aws";
const manifest = (version: string): string =>
  `terraform {\n  required_providers {\n    aws = { source = "acme/aws", version = "${version}" }\n  }\n}\n`;

test("a patch is merged with its sums, an unverified lock file waits", async (t) => {
  await using registry = await terraformRegistry();
  const path = "acme/aws";
  registry.provider(path, "4.0.0");
  const lock = (version: string): string =>
    LOCK_HEAD +
    lockEntry(ADDRESS, version, version, registry.hashes(path, version, ["linux_amd64"]));
  const at = await updatesFixture(t, {
    inside: `registry "terraform" { url = "${registry.url}" }`,
  });
  const repo = await at.repo("infra", {
    "main.tf": manifest("4.0.0"),
    ".terraform.lock.hcl": lock("4.0.0"),
  });
  const forged = LOCK_HEAD + lockEntry(ADDRESS, "4.0.0", "4.0.0", [`zh:${"0".repeat(64)}`]);
  const other = await at.repo("forged", {
    "main.tf": manifest("4.0.0"),
    ".terraform.lock.hcl": forged,
  });
  for (const each of [repo, other]) {
    const created = await at.config(each, rules("terraform"));
    t.is(created.status, 201, created.text);
  }

  registry.provider(path, "4.0.1");
  await notify(at, "terraform", "registry.terraform.io/Acme/aws", "4.0.1");
  const [merged] = await at.pulls(1, "state=merged");
  t.is(merged?.attributes.title, "Bump acme/aws from 4.0.0 to 4.0.1");
  t.deepEqual(await clonedFiles(t, at, repo), {
    "main.tf": manifest("4.0.1"),
    ".terraform.lock.hcl": lock("4.0.1"),
  });
  const [open] = await at.pulls(1, "state=open");
  t.regex(String(open?.attributes.body), /not those that its publisher names/);
  t.is((await clonedFiles(t, at, other))[".terraform.lock.hcl"], forged);
});
