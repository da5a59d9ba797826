/** What a requirement excludes is not offered, in every manager's own spelling. */
import test from "ava";
import { managerOf, type PackageManager } from "../managers/index.js";
import { excludedBy } from "./excluded.js";

const rows: ReadonlyArray<
  readonly [
    manager: PackageManager,
    requirement: string,
    excluded: readonly string[],
    others: readonly string[],
  ]
> = [
  ["pip", ">=1.0,!=2.0", ["2.0", "2.0.0"], ["2.0.1", "1.0"]],
  ["pip", "!=2.1.*", ["2.1", "2.1.5"], ["2.2"]],
  ["bundler", "!= 1.2", ["1.2", "1.2.0"], ["1.2.1"]],
  ["composer", "^1.0, !=1.5.0", ["1.5.0", "v1.5"], ["1.5.1", "2.0.0"]],
  ["composer", "<>1.5", ["1.5.0"], ["1.4.0"]],
  ["hex", "~> 1.0 and != 1.5.0", ["1.5.0"], ["1.5.1"]],
  ["terraform", ">= 1.0, != 2.0", ["2.0.0"], ["2.0.1"]],
  ["dep", "^1.0.0, !=1.5.0", ["v1.5.0"], ["v1.6.0"]],
  ["npm_and_yarn", "^1.0.0", [], ["2.0.0"]],
];
for (const [manager, requirement, excluded, others] of rows)
  test(`${requirement} (${manager}) excludes ${excluded.join(", ") || "nothing"}`, async (t) => {
    const declaration = {
      ...{ file: "x", section: "y", development: false, requirement },
      range: { start: 0, end: requirement.length },
    };
    const { versioning } = await managerOf(manager);
    for (const version of excluded)
      t.is(excludedBy([declaration], version, versioning), declaration, version);
    for (const version of others)
      t.is(excludedBy([declaration], version, versioning), undefined, version);
  });
