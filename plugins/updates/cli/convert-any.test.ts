/** Configurations and texts of every kind: the conversion never fails without a name. */
import test from "ava";
import fc from "fast-check";
import { format } from "reeve/cli";
import { runs } from "../../../tests/support/runs.js";
import { anyText } from "../../../tests/support/text.js";
import { readConfigFile } from "../config-files/read.js";
import { convertRenovate } from "../config-files/renovate/convert.js";
import { UpdatesError } from "../errors.js";

const convert = (text: string) =>
  convertRenovate({
    ...{ file: "renovate.json", account: "acme", managers: ["npm_and_yarn", "docker"], text },
  });

const NAMES = [
  ...["labels", "schedule", "packageRules", "extends", "hostRules", "customManagers", "npmrc"],
  ...["groupName", "automerge", "minimumReleaseAge", "rangeStrategy", "ignoreDeps", "major", "npm"],
  ...["includePaths", "baseBranches", "timezone", "gitAuthor", "automergeSchedule", "registryUrls"],
  ...["matchPackageNames", "matchUpdateTypes", "matchManagers", "enabled", "allowedVersions"],
  ...["matchStrings", "matchHost", "hostType", "token", "datasourceTemplate", "depNameTemplate"],
  ...["prConcurrentLimit", "semanticCommits", "enabledManagers", "fileMatch", "constructor"],
];
const WORDS = [
  ...[
    "npm",
    "before 5am on monday",
    "* 0-3 * * 1",
    "config:recommended",
    "3 days",
    "major",
    "/^a/",
  ],
  ...["https://a.example/${x}", '(?<currentValue>"\\d+)', 'a"b\\', "enabled", "pin", "\u0000\n"],
];
const config = fc.letrec<{ value: unknown; object: unknown }>((tie) => ({
  object: fc.dictionary(fc.oneof(fc.constantFrom(...NAMES), fc.string()), tie("value"), {
    maxKeys: 6,
  }),
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...WORDS),
    anyText(),
    fc.constantFrom(true, false, null, 0, -1, 3, 1e300),
    fc.array(tie("value"), { maxLength: 4 }),
    tie("object"),
  ),
}));
test("any configuration gives a block in the language and a file without faults", async (t) => {
  t.timeout(120_000);
  await fc.assert(
    fc.asyncProperty(config.object, async (value) => {
      const { block, repository } = convert(JSON.stringify(value));
      const formatted = format(block);
      if (!("text" in formatted)) throw new Error(block);
      const { faults } = await readConfigFile(repository);
      if (faults.length > 0) throw new Error(faults.join("\n"));
    }),
    { numRuns: runs(150, 3000) },
  );
  t.pass();
});

test("any text is converted or refused by name", (t) => {
  t.timeout(120_000);
  fc.assert(
    fc.property(fc.oneof(fc.json(), anyText()), (text) => {
      try {
        convert(text);
      } catch (error) {
        if (!(error instanceof UpdatesError)) throw error;
      }
    }),
    { numRuns: runs(150, 2000) },
  );
  t.pass();
});
