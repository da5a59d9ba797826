/** The block of the daemon that a conversion makes, and a daemon that starts with it. */
import test from "ava";
import { testPlugin } from "reeve/testing";
import plugin from "../../plugin.js";
import { convertRenovate } from "./convert.js";

const convert = (options: object) =>
  convertRenovate({
    ...{ file: "renovate.json", account: "acme", managers: [] },
    text: JSON.stringify(options),
  });

test("the block has registries, patterns and the settings of the account", async (t) => {
  const { block, findings } = convert({
    gitAuthor: "Robot <robot@acme.example>",
    hostRules: [
      { matchHost: "npm.acme.example", hostType: "npm", token: "s3cret" },
      {
        matchHost: "https://pypi.acme.example/simple/",
        hostType: "pypi",
        username: "ada",
        password: "s3cret",
      },
      { matchHost: "https://u:s3cret@gems.acme.example", hostType: "rubygems" },
    ],
    npmrc: "registry=https://other.example\n@acme:registry=https://npm.acme.example/\n",
    packageRules: [{ matchDatasources: ["nuget"], registryUrls: ["https://nuget.acme.example"] }],
    customManagers: [
      {
        ...{ customType: "regex", managerFilePatterns: ["/(^|/)Makefile$/", "ci/*.sh"] },
        matchStrings: [
          'datasource=(?<datasource>\\S+) depName=(?<depName>\\S+)\\n\\w+="(?<currentValue>[^"]+)\\"',
        ],
      },
      {
        ...{
          customType: "regex",
          fileMatch: ["\\.ya?ml$"],
          matchStrings: ["x: (?<currentValue>\\S+)"],
        },
        ...{
          datasourceTemplate: "npm",
          depNameTemplate: "left",
          matchStringsStrategy: "recursive",
        },
      },
    ],
    ...{ automergeStrategy: "merge-commit", ignoreTests: true, prConcurrentLimit: 0 },
    automergeSchedule: ["after 9am and before 5:30pm on friday"],
  });
  t.false(block.includes("s3cret"));
  t.is(
    block,
    `updates "main" {
  committer = "Robot <robot@acme.example>"

  registry "npm_and_yarn" {
    url   = "https://npm.acme.example"
    token = secret("env:NPM_ACME_EXAMPLE_TOKEN")
  }

  registry "pip" {
    url      = "https://pypi.acme.example/simple"
    username = "ada"
    password = secret("env:PYPI_ACME_EXAMPLE_SIMPLE_PASSWORD")
  }

  registry "bundler" {
    url = "https://gems.acme.example"
  }

  registry "npm_and_yarn" {
    url   = "https://npm.acme.example"
    scope = "@acme"
  }

  registry "nuget" {
    url = "https://nuget.acme.example"
  }

  pattern "custom-1" {
    files = ["**/Makefile", "ci/*.sh"]
    match = [re"datasource=(?<datasource>\\S+) depName=(?<depName>\\S+)\\n\\w+=\\x22(?<currentValue>[^\\x22]+)\\x22"]
  }

  pattern "custom-2" {
    files    = ["**"]
    match    = [re"x: (?<currentValue>\\S+)"]
    strategy = "recursive"
    source   = "npm"
    package  = "left"
  }

  account "acme" {
    create_merge_commits     = true
    automerge_checks         = "none-ok"
    limit_open_pull_requests = false
    working_hours            = ["friday 09:00-17:30"]
  }
}
`,
  );
  t.deepEqual(
    findings.map(({ option }) => option),
    ["managerFilePatterns"],
  );
  const environment = Object.fromEntries(
    [...block.matchAll(/env:(\w+)/g)].map(([, name = ""]) => [name, "x"]),
  );
  const tested = await testPlugin(plugin, {
    config: block.replace('"main" {', '"main" {\n  listen = "127.0.0.1:0"'),
    environment,
  });
  await tested.stop();
});
