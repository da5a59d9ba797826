/** A `pattern` block: versions in files that no package manager reads. */
import { c, type Pattern } from "reeve/plugin";
import { groupsIn } from "../managers/patterns/groups.js";
import { sourceFault } from "../managers/patterns/source-names.js";

export const pattern = c.block({
  label: c.name(),
  doc: "Versions in any file, found by regular expressions. Configs of the manager `patterns` keep them up to date.",
  check: ({ values: { match, source, package: name } }, report) => {
    const patterns = match as readonly Pattern[];
    const groups = new Set(patterns.flatMap((each) => [...groupsIn(each.source)]));
    if (!groups.has("version")) report(["match"], "no pattern has the group `(?<version>…)`");
    else if (source === undefined && !groups.has("source"))
      report(
        ["match"],
        "a pattern needs the group `(?<source>…)`, or the block the attribute `source`",
      );
    else if (name === undefined && !groups.has("name") && !source?.startsWith("tags:"))
      report(
        ["match"],
        "a pattern needs the group `(?<name>…)`, or the block the attribute `package`",
      );
  },
  attrs: {
    files: c
      .list(c.string(), { minItems: 1 })
      .doc("Globs of files, from the config's directory: `**/Dockerfile`, `.gitlab-ci.yml`."),
    match: c
      .list(c.regex(), { minItems: 1 })
      .doc(
        "Regular expressions for the whole file, with the groups `version`, `source` and `name`.",
      ),
    strategy: c
      .oneOf("any", "recursive", "combination")
      .default('"any"')
      .doc(
        "Each match is a dependency; each pattern searches the matches of the one before; or all patterns together give one dependency per file.",
      ),
    source: c
      .string()
      .check(sourceFault)
      .optional()
      .doc(
        "Where versions come from, without a group `source`: `npm`, `docker`, `tags:https://…`.",
      ),
    package: c.string().optional().doc("The package, without a group `name`."),
  },
});
