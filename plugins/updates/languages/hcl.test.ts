/** Compares the HCL reader with HashiCorp's parser, and checks ranges. */
import { createRequire } from "node:module";
import test from "ava";
import fc from "fast-check";
import { runs } from "../../../tests/support/runs.js";
import { UpdatesError } from "../errors.js";
import { readTerraform, type Used, usesIn } from "../managers/terraform/manifest/read.js";
import { readHcl } from "./hcl.js";

/** Loaded with require, since its types need the DOM. */
const { parse }: { parse(name: string, text: string): Promise<Record<string, unknown>> } =
  createRequire(import.meta.url)("@cdktf/hcl2json");

const TEXT = `# größer 🎉
terraform {
  required_version = ">= 1.0" // one
  required_providers {
    aws = { source = "hashicorp/aws", version = "~> 4.0" }
    acme = {
      source  = "registry.acme.example/team/acme" /* two */
      version = ">= 1.0, < 2.0"
    }
    old = "~> 2.0"
  }
}
module "network" {
  source  = "terraform-aws-modules/vpc/aws//modules/inner"
  version = "3.1.0"
  name    = "\${var.name}-\${lookup({ a = "}" }, "a")}"
  list    = [for x in var.y : x if x != "]"]
  map     = { for k, v in var.z : k => v }
  text    = <<-END
    version = "9.9.9"
    module "no" {
  END
  nested = {
    "quoted" : 1, other = (1 + 2)
  }
}
module "local" { source = "./modules/x" }
module "git" {
  source = "git::https://git.example.test/a/b.git//sub?depth=1&ref=v1.2.0"
}
module "hub" { source = "github.com/acme/thing?ref=v0.3.1" }
provider "random" { version = "~> 3.0" }
resource "x" "y" {
  a = "%{ if true }b%{ endif }" == "c" ? 1 : 2
  version = "0"
}
`;

const usesOf = (file: string, text: string): readonly Used[] =>
  usesIn(readTerraform(file, text), new Map());

test("providers and modules are found with the ranges of their versions", (t) => {
  const used = usesOf("main.tf", TEXT).map(({ kind, source, version, section }) => [
    ...[kind, source, section],
    version && TEXT.slice(version.range.start, version.range.end),
  ]);
  t.deepEqual(used, [
    ["provider", "hashicorp/aws", "required_providers.aws", "~> 4.0"],
    ["provider", "registry.acme.example/team/acme", "required_providers.acme", ">= 1.0, < 2.0"],
    ["provider", "hashicorp/old", "required_providers.old", "~> 2.0"],
    ["module", "terraform-aws-modules/vpc/aws", "module.network", "3.1.0"],
    ["git", "https://git.example.test/a/b", "module.git", "v1.2.0"],
    ["git", "https://github.com/acme/thing", "module.hub", "v0.3.1"],
    ["provider", "hashicorp/random", "provider.random", "~> 3.0"],
  ]);
});

test("a Terragrunt source holds the module and its version", (t) => {
  const text = `terraform {\n  source = "tfr:///acme/vpc/aws//sub?version=3.5.0"\n}\ninclude "root" {\n  path = find_in_parent_folders()\n}\n`;
  t.like(usesOf("terragrunt.hcl", text), [
    { kind: "module", source: "acme/vpc/aws", version: { text: "3.5.0" } },
  ]);
});

test("JSON syntax is read alike: single blocks and lists, without comments and expressions", (t) => {
  const text = String.raw`{
  "//": "größer 🎉",
  "terraform": [{
    "required_version": ">= 1.0",
    "required_providers": {
      "aws": { "source": "hashicorp/aws", "version": "~> 4.0" },
      "esc": [{ "source": "acme/esc", "version": ">= 1.0" }],
      "own": { "source": "acme/own", "version": "\u003e= 1.0, \u003c 2" },
      "old": "~> 2.0"
    }
  }],
  "module": {
    "vpc": [{ "//": "why", "source": "acme/vpc/aws//in", "version": "3.1.0" }],
    "git": { "source": "git::https://git.example.test/a.git?ref=v1.0.0" },
    "said": { "source": "acme/said/aws", "version": "${"$"}{var.x}" },
    "local": { "source": "./x" }
  },
  "provider": [{ "random": { "version": "~> 3.0" } }, { "aws": [{ "region": "x" }] }],
  "resource": { "module": { "x": { "source": "acme/no/aws", "version": "1.0.0" } } }
}`;
  const used = usesOf("main.tf.json", text).map(({ kind, source, version }) => [
    ...[kind, source, version?.text],
    version && text.slice(version.range.start, version.range.end),
  ]);
  t.deepEqual(used, [
    ["provider", "hashicorp/aws", "~> 4.0", "~> 4.0"],
    ["provider", "hashicorp/esc", undefined, undefined],
    ["provider", "acme/own", ">= 1.0, < 2", String.raw`\u003e= 1.0, \u003c 2`],
    ["provider", "hashicorp/old", "~> 2.0", "~> 2.0"],
    ["module", "acme/vpc/aws", "3.1.0", "3.1.0"],
    ["git", "https://git.example.test/a", "v1.0.0", "v1.0.0"],
    ["module", "acme/said/aws", undefined, undefined],
    ["provider", "hashicorp/random", "~> 3.0", "~> 3.0"],
  ]);
  t.throws(() => readTerraform("main.tf.json", "{"), { message: /^main\.tf\.json:1 is not JSON/ });
});

/** Blocks by type and labels, with their plain string attributes. */
type Shape = Readonly<Record<string, unknown>>;

test("blocks and strings equal those of HashiCorp's parser", async (t) => {
  const theirs = (await parse("main.tf", TEXT)) as Record<string, Record<string, Shape[]>>;
  const mine = readHcl("main.tf", TEXT);
  for (const { type, labels, body } of mine.blocks) {
    let at: unknown = theirs[type];
    for (const label of labels) at = (at as Record<string, unknown>)[label];
    const [same] = at as Shape[];
    t.truthy(same, [type, ...labels].join(" "));
    const texts = [...body.attributes].flatMap(([name, value]) =>
      value.kind === "text" ? [[name, value.value] as const] : [],
    );
    t.like(same, Object.fromEntries(texts));
    t.deepEqual(
      [...body.attributes.keys()].filter((name) => !(same && name in same)),
      [],
    );
  }
});

for (const [what, text, why] of [
  [
    "a block that does not end",
    "module x {\n a = 1\n",
    "main.tf:1 is not HCL: module is not closed.",
  ],
  ["an unclosed string", 'a = "b\n', "main.tf:1 is not HCL: a string is not closed."],
  ["nonsense", "\n= 1\n", "main.tf:2 is not HCL: = starts no block or attribute."],
] as const)
  test(`the error for ${what} is one sentence`, (t) => {
    t.throws(() => readHcl("main.tf", text), { instanceOf: UpdatesError, message: why });
  });

test("any text is read or refused with a reason", (t) => {
  const word = fc.constantFrom(
    ...[
      '"',
      "{",
      "}",
      "[",
      "]",
      "(",
      ")",
      "=",
      "<<E\n",
      "E\n",
      "\n",
      "${",
      "a",
      "module",
      ",",
      "#",
      "for",
    ],
    ...[
      "/*",
      "*/",
      "\\",
      "terraform",
      '"a"',
      "required_providers",
      "version",
      ":",
      "%{",
      "1.0",
      "==",
    ],
  );
  fc.assert(
    fc.property(fc.array(word), (words) => {
      try {
        readTerraform("main.tf", words.join(" "));
      } catch (error) {
        if (!(error instanceof UpdatesError)) throw error;
      }
    }),
    { numRuns: runs(200, 3000) },
  );
  t.pass();
});
