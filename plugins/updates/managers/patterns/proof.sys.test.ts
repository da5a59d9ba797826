/** From a release to a clone, by a pattern of the configuration, and the patterns that a configuration may not have. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import test from "ava";
import { testPlugin } from "reeve/testing";
import plugin from "../../plugin.js";
import { updatesFixture } from "../../testing/fixture.js";
import { npmRegistry } from "../../testing/npm-registry.js";
import { cloned, rules } from "../../testing/proof.js";

test.serial("a version in a Makefile is in the clone, a major one waits", async (t) => {
  await using npm = await npmRegistry({ left: { "1.0.0": {}, "1.0.1": {} } });
  const at = await updatesFixture(t, {
    inside: `registry "npm_and_yarn" { url = "${npm.url}" }
  pattern "tools" {
    files   = ["**/Makefile"]
    match   = [re"LEFT_VERSION := (?<version>\\S+)"]
    source  = "npm"
    package = "left"
  }`,
  });
  const repo = await at.repo("app", {
    "ci/Makefile": "# größer 🎉\nLEFT_VERSION := 1.0.0\n\nall:\n\ttrue\n",
  });
  const { json } = await at.config(repo, rules("patterns"));
  await at.pulls(1, "state=merged");
  const checkout = await cloned(t, at, repo);
  t.is(
    await readFile(join(checkout, "ci/Makefile"), "utf8"),
    "# größer 🎉\nLEFT_VERSION := 1.0.1\n\nall:\n\ttrue\n",
  );
  npm.publish("left", "2.0.0");
  await at.send("POST", `/update_configs/${json.data.id}/runs`);
  const [open] = await at.pulls(1, "state=open");
  t.is(open?.attributes.title, "Bump left from 1.0.1 to 2.0.0");
  t.is((await at.pulls(1, "state=merged")).length, 1);
});

const wrong: ReadonlyArray<readonly [what: string, inside: string, message: RegExp]> = [
  ["no version", 'match = [re"a"]', /no pattern has the group/],
  ["no source", 'match = [re"(?<version>a)"]', /needs the group `\(\?<source>…\)`/],
  ["no package", 'match = [re"(?<version>a)"]\n source = "npm"', /attribute `package`/],
  [
    "an unknown source",
    'match = [re"(?<version>a)"]\n source = "apt"\n package = "a"',
    /There is no source `apt`/,
  ],
  ["no files", 'files = []\n match = [re"(?<version>a)"]', /files/],
];
for (const [what, inside, message] of wrong)
  test(`a pattern with ${what} is refused`, async (t) => {
    const files = inside.startsWith("files") ? "" : 'files = ["a"]\n';
    const config = `updates "main" {\n pattern "a" {\n ${files} ${inside}\n }\n}\n`;
    await t.throwsAsync(testPlugin(plugin, { config }), { message });
  });
