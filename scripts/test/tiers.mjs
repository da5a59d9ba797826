// The tiers of test files, by their names: CONTRIBUTING.md, "Tests".
import { globSync, readFileSync } from "node:fs";

/** Tier → the ending of its files' names. */
const endings = {
  unit: ".test.js",
  system: ".sys.test.js",
  tool: ".tool.test.js",
  long: ".long.test.js",
};

export const tierNames = Object.keys(endings);

/** What `npm test` runs. */
export const usual = ["unit", "system", "tool"];

/** Patterns for ava. `tiers`: names with commas; all files without. */
export function filesOf(tiers) {
  if (!tiers) return ["dist/**/*.test.js"];
  const names = tiers.split(",");
  const wanted = names.map((name) => `dist/**/*${endings[name]}`);
  const others = Object.entries(endings)
    .filter(([name]) => name !== "unit" && !names.includes(name))
    .map(([, ending]) => `!dist/**/*${ending}`);
  return names.includes("long") ? [...wanted, ...withManyRuns()] : [...wanted, ...others];
}

/** Property tests of every tier that try more cases in the long one. */
const withManyRuns = () =>
  globSync("dist/**/*.test.js").filter((file) =>
    /from "[./]+(tests\/)?support\/runs\.js"/.test(readFileSync(file, "utf8")),
  );
