/** The text of constraints in a lock file, of the project and of a module that requires `>= 1.0, != 2.0.0`. */
import test from "ava";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { updatedBy } from "../../testing/propose-update.js";
import { LOCK_HEAD, lockEntry, terraformRegistry } from "../../testing/terraform-registry.js";
import { terraform } from "./manager.js";

/** What Terraform 1.11 wrote for each, before the update and after it. */
const written: ReadonlyArray<
  readonly [before: string, locked: string, after: string, relocked: string]
> = [
  ["~> 4.0", ">= 1.0.0, != 2.0.0, ~> 4.0", "~> 5.1", ">= 1.0.0, != 2.0.0, ~> 5.1"],
  ["~> 4", ">= 1.0.0, != 2.0.0, ~> 4.0", "~> 5", ">= 1.0.0, != 2.0.0, ~> 5.0"],
  ["= 4.0", ">= 1.0.0, != 2.0.0, 4.0.0", "= 5.1.0", ">= 1.0.0, != 2.0.0, 5.1.0"],
  ["<=4.0.0", ">= 1.0.0, != 2.0.0, <= 4.0.0", "<=5.1.0", ">= 1.0.0, != 2.0.0, <= 5.1.0"],
  [
    ">4, !=4.5.0",
    ">= 1.0.0, != 2.0.0, > 4.0.0, != 4.5.0",
    ">4, !=4.5.0",
    ">= 1.0.0, != 2.0.0, > 4.0.0, != 4.5.0",
  ],
  [
    "> 3, ~> 4.0, >= 3",
    ">= 1.0.0, != 2.0.0, > 3.0.0, >= 3.0.0, ~> 4.0",
    "> 3, ~> 5.1, >= 3",
    ">= 1.0.0, != 2.0.0, > 3.0.0, >= 3.0.0, ~> 5.1",
  ],
  [
    ">= 2, >= 3.0, ~> 4.0",
    ">= 1.0.0, >= 2.0.0, != 2.0.0, >= 3.0.0, ~> 4.0",
    ">= 2, >= 3.0, ~> 5.1",
    ">= 1.0.0, >= 2.0.0, != 2.0.0, >= 3.0.0, ~> 5.1",
  ],
  [
    ">= 3.0, < 5",
    ">= 1.0.0, != 2.0.0, >= 3.0.0, < 5.0.0",
    ">= 3.0, < 6",
    ">= 1.0.0, != 2.0.0, >= 3.0.0, < 6.0.0",
  ],
  [
    "~> 4.0, != 4.2",
    ">= 1.0.0, != 2.0.0, ~> 4.0, != 4.2.0",
    "~> 5.1, != 4.2",
    ">= 1.0.0, != 2.0.0, != 4.2.0, ~> 5.1",
  ],
  [
    "~> 4.0, ~> 4.0.0",
    ">= 1.0.0, != 2.0.0, ~> 4.0.0, ~> 4.0",
    "~> 5.1, ~> 5.1.0",
    ">= 1.0.0, != 2.0.0, ~> 5.1.0, ~> 5.1",
  ],
];
for (const [before, locked, after, relocked] of written)
  test(`${before} moves to ${after}, and the lock file says ${relocked}`, async (t) => {
    await using registry = await terraformRegistry();
    await using tools = workshop();
    for (const version of ["4.0.0", "5.1.0"]) registry.provider("acme/aws", version);
    const manifest = (constraint: string): string =>
      `terraform {\n  required_providers {\n    aws = { source = "acme/aws", version = "${constraint}" }\n  }\n}\n`;
    const lock = (version: string, constraints: string): string =>
      LOCK_HEAD +
      lockEntry(
        ...(["registry.terraform.io/acme/aws", version, constraints] as const),
        registry.hashes("acme/aws", version, []),
      );
    const files = {
      "main.tf": manifest(before),
      ".terraform.lock.hcl": lock("4.0.0", locked),
    };
    const edit = await updatedBy({
      ...{ manager: terraform, sources: repository(files), name: "acme/aws", tools },
      settings: { registries: [{ manager: "terraform", url: registry.url }] },
    });
    const now = { ...files, ...Object.fromEntries(edit.files) };
    t.deepEqual(now, {
      "main.tf": manifest(after),
      ".terraform.lock.hcl": lock("5.1.0", relocked),
    });
  });
