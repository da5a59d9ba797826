/** Constraints, lock files and registries of Terraform. */
import test from "ava";
import { propose } from "../../decide/propose.js";
import { repository, type Workshop, workshop } from "../../testing/manager-fixture.js";
import {
  LOCK_HEAD,
  lockEntry,
  type TerraformRegistry,
  terraformRegistry,
} from "../../testing/terraform-registry.js";
import type { ManagerSettings, Strategy, UpdateEdit } from "../contract.js";
import { terraform } from "./manager.js";
import { terraformRequirement, terraformVersioning } from "./versions.js";

/** What Terraform's documentation of version constraints says of each. */
const meanings: ReadonlyArray<readonly [constraint: string, inside: string, outside: string]> = [
  ["1.2.3", "1.2.3", "1.2.4"],
  ["= 1.2.3", "1.2.3", "1.2.4"],
  ["!= 1.2.3", "1.2.4", "1.2.3"],
  ["> 1.2.3", "1.2.4", "1.2.3"],
  [">= 1.2", "1.2.0", "1.1.9"],
  ["< 2", "1.9.9", "2.0.0"],
  ["<= 1.2.3", "1.2.3", "1.2.4"],
  ["~> 1.0.4", "1.0.10", "1.1.0"],
  ["~> 1.1", "1.10.0", "2.0.0"],
  ["~> 2", "2.9.0", "3.0.0"],
  [">= 1.2.0, < 2.0.0", "1.9.0", "2.0.0"],
  [">= 1.0, != 1.5.0", "1.5.1", "1.5.0"],
  [">= 1.0", "1.0.0", "2.0.0-beta1"],
  ["~> 1.1", "1.2.0", "2.0.0-beta1"],
  ["2.0.0-beta1", "2.0.0-beta1", "2.0.0"],
];
for (const [constraint, inside, outside] of meanings)
  test(`${constraint} allows ${inside} and not ${outside}`, (t) => {
    t.true(terraformVersioning.satisfies(inside, constraint));
    t.false(terraformVersioning.satisfies(outside, constraint));
  });

const moves: ReadonlyArray<
  readonly [requirement: string, to: string, strategy: Strategy, next: string]
> = [
  ["1.2.3", "1.3.0", "bump_versions_if_necessary", "1.3.0"],
  ["= 1.2.3", "1.3.0", "bump_versions_if_necessary", "= 1.3.0"],
  ["~> 4.0", "4.9.0", "bump_versions_if_necessary", "~> 4.0"],
  ["~> 4.0", "4.9.0", "bump_versions", "~> 4.9"],
  ["~> 4.0", "5.1.2", "bump_versions_if_necessary", "~> 5.1"],
  ["~> 4.0.1", "4.1.2", "bump_versions_if_necessary", "~> 4.1.2"],
  [">= 1.0, < 2.0", "2.3.1", "bump_versions_if_necessary", ">= 1.0, < 3.0"],
  [">= 1.0,<1.5", "1.6.2", "bump_versions_if_necessary", ">= 1.0,<1.7"],
  ["<= 1.2.3", "1.3.0", "bump_versions_if_necessary", "<= 1.3.0"],
  [">= 1.0", "2.0.0", "bump_versions", ">= 1.0"],
  ["~> 1.2", "3.1.0", "widen_ranges", ">= 1.2, < 4.0.0"],
  ["~> 1.2", "3.1.0", "lockfile_only", "~> 1.2"],
  ["var.x", "3.1.0", "bump_versions", "var.x"],
];
for (const [before, to, strategy, next] of moves)
  test(`${before} becomes ${next} for ${to} (${strategy})`, (t) => {
    t.is(terraformRequirement(before, to, strategy), next);
  });

async function updated(
  files: Readonly<Record<string, string>>,
  name: string,
  settings: ManagerSettings,
  tools: Workshop,
): Promise<UpdateEdit> {
  const sources = repository(files);
  const found = terraform.parse(sources, settings);
  const dependency = found.dependencies.find((one) => one.name === name);
  if (!dependency) throw new Error(`${name} was not found`);
  const decision = await propose({
    manager: terraform,
    dependency,
    runtime: found.runtime,
    library: false,
    advisories: [],
    policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
    lookup: tools.lookup.fresh(),
    now: 0,
  });
  if (decision.kind === "none") throw new Error(decision.why);
  return terraform.update({ sources, settings, changes: [decision.change] }, tools);
}

const settingsFor = ({ url }: TerraformRegistry): ManagerSettings => ({
  registries: [{ manager: "terraform", url }],
});
const manifest = (constraint: string): string =>
  `terraform {\n  required_providers {\n    aws = {\n      source  = "acme/aws"\n      version = "${constraint}"\n    }\n  }\n}\n`;
const ADDRESS = "registry.terraform.io/acme/aws";

test("the lock file has the sums of the new version: of archives, and of as many contents as before", async (t) => {
  await using registry = await terraformRegistry();
  await using tools = workshop();
  registry.provider("acme/aws", "4.0.0");
  const other = lockEntry("registry.terraform.io/acme/other", "1.0.0", "1.0.0", ["h1:x"]);
  const lock = (version: string, constraint: string): string =>
    LOCK_HEAD +
    lockEntry(ADDRESS, version, constraint, registry.hashes("acme/aws", version, ["linux_amd64"])) +
    other;
  const before = { "main.tf": manifest("~> 4.0"), ".terraform.lock.hcl": lock("4.0.0", "~> 4.0") };
  registry.provider("acme/aws", "5.1.0");
  for (const style of [(text: string) => text, (text: string) => text.replaceAll("\n", "\r\n")]) {
    const files = Object.fromEntries(
      Object.entries(before).map(([name, text]) => [name, style(text)]),
    );
    const edit = await updated(files, "acme/aws", settingsFor(registry), tools);
    t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
    t.is(edit.files.get("main.tf"), style(manifest("~> 5.1")));
    t.is(edit.files.get(".terraform.lock.hcl"), style(lock("5.1.0", "~> 5.1")));
  }
});

test("within its constraint only the lock file moves", async (t) => {
  await using registry = await terraformRegistry();
  await using tools = workshop();
  registry.provider("acme/aws", "4.0.0");
  registry.provider("acme/aws", "4.2.0");
  const lock =
    LOCK_HEAD +
    lockEntry(ADDRESS, "4.0.0", ">= 3.0.0, ~> 4.0", registry.hashes("acme/aws", "4.0.0", []));
  const files = { "main.tf": manifest("~> 4.0"), ".terraform.lock.hcl": lock };
  const edit = await updated(files, "acme/aws", settingsFor(registry), tools);
  t.deepEqual([...edit.files.keys()], [".terraform.lock.hcl"]);
  t.is(
    edit.files.get(".terraform.lock.hcl"),
    LOCK_HEAD +
      lockEntry(ADDRESS, "4.2.0", ">= 3.0.0, ~> 4.0", registry.hashes("acme/aws", "4.2.0", [])),
  );
});

const uncertain: ReadonlyArray<
  readonly [what: string, constraints: string, spoil: boolean, why: RegExp]
> = [
  ["constraints that no manifest has", "~> 3.0", false, /is not what the manifests say\./],
  [
    "sums that the publisher does not name",
    "~> 4.0",
    true,
    /are not those that its publisher names\./,
  ],
];
for (const [what, constraints, spoil, why] of uncertain)
  test(`${what}: nothing is guessed, and the note says so`, async (t) => {
    await using registry = await terraformRegistry();
    await using tools = workshop();
    registry.provider("acme/aws", "4.0.0");
    registry.provider("acme/aws", "5.1.0");
    const hashes = registry.hashes("acme/aws", "4.0.0", []);
    const lock =
      LOCK_HEAD +
      lockEntry(ADDRESS, "4.0.0", constraints, spoil ? [`zh:${"0".repeat(64)}`] : hashes);
    const files = { "main.tf": manifest("~> 4.0"), ".terraform.lock.hcl": lock };
    const edit = await updated(files, "acme/aws", settingsFor(registry), tools);
    if (edit.lock.kind !== "stale") return t.fail(JSON.stringify(edit.lock));
    t.regex(edit.lock.note, why);
    t.regex(edit.lock.note, /Run `terraform init -upgrade`\.$/);
    t.deepEqual([...edit.files.keys()], ["main.tf"]);
  });

test("constraints of other modules in the lock file cause an older version", async (t) => {
  await using registry = await terraformRegistry();
  await using tools = workshop();
  registry.provider("acme/aws", "4.0.0");
  registry.provider("acme/aws", "5.1.0");
  const hashes = registry.hashes("acme/aws", "4.0.0", []);
  const lock = LOCK_HEAD + lockEntry(ADDRESS, "4.0.0", "~> 4.0, < 5.0.0", hashes);
  const files = { "main.tf": manifest("~> 4.0"), ".terraform.lock.hcl": lock };
  await t.throwsAsync(updated(files, "acme/aws", settingsFor(registry), tools), {
    code: "does_not_resolve",
    message: "A module requires < 5.0.0 of registry.terraform.io/acme/aws, as the lock file says.",
  });
});

test("a provider of any version follows in the lock file alone", async (t) => {
  await using registry = await terraformRegistry();
  await using tools = workshop();
  registry.provider("acme/aws", "4.0.0");
  registry.provider("acme/aws", "5.1.0");
  const text = 'terraform {\n  required_providers {\n    aws = { source = "acme/aws" }\n  }\n}\n';
  const lock = (version: string): string =>
    LOCK_HEAD +
    lockEntry(ADDRESS, version, "", registry.hashes("acme/aws", version, [])).replace(
      / {2}constraints.*\n/,
      "",
    );
  const files = { "main.tf": text, ".terraform.lock.hcl": lock("4.0.0") };
  const edit = await updated(files, "acme/aws", settingsFor(registry), tools);
  t.deepEqual([...edit.files], [[".terraform.lock.hcl", lock("5.1.0")]]);
  const [alone] = terraform.parse(repository({ "main.tf": text }), {
    registries: [],
  }).dependencies;
  t.is(alone?.origin.kind, "none");
});

test("modules of registries move, and only other hosts are part of the name", async (t) => {
  await using registry = await terraformRegistry();
  await using tools = workshop();
  registry.module("team/vpc/aws", "1.0.0");
  registry.module("team/vpc/aws", "1.4.0");
  const text = `module "a" {\n  source  = "modules.acme.example/team/vpc/aws//inner"\n  version = "1.0.0"\n}\nmodule "b" {\n  source  = "modules.acme.example/team/vpc/aws"\n  version = "1.0.0" # keep\n}\n`;
  const settings: ManagerSettings = {
    registries: [{ manager: "terraform", url: registry.url, scope: "modules.acme.example" }],
  };
  const edit = await updated(
    { "main.tf": text },
    "modules.acme.example/team/vpc/aws",
    settings,
    tools,
  );
  t.is(edit.files.get("main.tf"), text.replaceAll("1.0.0", "1.4.0"));
  t.is(edit.lock.kind, "absent");
});

test("unreadable files are reported, and parsing continues", (t) => {
  const sources = repository({
    "a.tf": manifest("~> 4.0"),
    "b.tf": 'module "x" {\n',
    "modules/c.tf": manifest("1.0.0"),
    ".terraform.lock.hcl": 'provider "',
  });
  t.deepEqual([...terraform.filesToRead(sources)].sort(), [".terraform.lock.hcl", "a.tf", "b.tf"]);
  const { dependencies, broken } = terraform.parse(sources, { registries: [] });
  t.deepEqual(
    dependencies.map(({ name, origin }) => [name, origin]),
    [["acme/aws", { kind: "registry", url: "https://registry.terraform.io" }]],
  );
  t.deepEqual(broken.map(({ file }) => file).sort(), [".terraform.lock.hcl", "b.tf"]);
});

const module = (name: string, source: string, version: string): string =>
  `module "${name}" {\n  source  = "${source}"\n  version = ${version}\n}\n`;
const locals: ReadonlyArray<
  readonly [what: string, files: Readonly<Record<string, string>>, found: readonly string[]]
> = [
  [
    "a local of another file",
    {
      "main.tf": module("a", "acme/vpc/aws", "local.vpc"),
      "locals.tf": 'locals {\n  vpc = "1.2.0"\n}\n',
    },
    ["acme/vpc/aws 1.2.0 locals.tf:1.2.0"],
  ],
  [
    "a local of a local",
    {
      "main.tf": `locals {\n  a = "1.2.0"\n  b = local.a\n}\n${module("a", "acme/vpc/aws", "local.b")}`,
    },
    [
      "acme/vpc/aws undefined No version of the module acme/vpc/aws is required in a way that can be edited.",
    ],
  ],
  [
    "a local that is computed",
    {
      "main.tf": `locals {\n  a = format("1.%d", 2)\n}\n${module("a", "acme/vpc/aws", "local.a")}`,
    },
    [
      "acme/vpc/aws undefined No version of the module acme/vpc/aws is required in a way that can be edited.",
    ],
  ],
  [
    "a local of two modules",
    {
      "main.tf": `locals {\n  a = "1.2.0"\n}\n${module("a", "acme/vpc/aws", "local.a")}${module("b", "acme/net/aws", "local.a")}`,
    },
    [
      "acme/vpc/aws 1.2.0 local.a has the version of several dependencies.",
      "acme/net/aws 1.2.0 local.a has the version of several dependencies.",
    ],
  ],
];
for (const [what, files, expected] of locals)
  test(`the version of a module may be ${what}`, (t) => {
    const { dependencies, broken } = terraform.parse(repository(files), { registries: [] });
    t.deepEqual(broken, []);
    t.deepEqual(
      dependencies.map(({ name, current, origin, declarations }) => {
        const where = declarations.map(
          ({ file, range }) => `${file}:${files[file]?.slice(range.start, range.end)}`,
        );
        return `${name} ${current} ${origin.kind === "none" ? origin.why : where.join(" ")}`;
      }),
      expected,
    );
  });
