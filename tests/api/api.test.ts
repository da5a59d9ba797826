/**
 * The contract for programs and plugins cannot change unseen: what each entry of the package exports is compared with the
 * report beside this file. `UPDATE_CASES=1` writes the reports; a change of one needs a line in the changelog, and a change that
 * breaks a plugin the next `api`.
 */
import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { apiReport } from "./api-report.js";

const { exports: entries } = JSON.parse(readFileSync("package.json", "utf8")) as {
  readonly exports: Readonly<Record<string, string | { readonly types: string }>>;
};
const typed = Object.entries(entries).flatMap(([entry, targets]) =>
  typeof targets === "string" ? [] : [[`reeve${entry.slice(1)}`, targets.types] as const],
);
const CONTRACT = "reeve/plugin";
const contract = typed.find(([entry]) => entry === CONTRACT)?.[1];
const reportOf = (entry: string): string => join("tests/api", `${entry.replace("/", "-")}.api.txt`);

for (const [entry, types] of typed) {
  test(`\`${entry}\` exports what its report shows`, (t) => {
    const report = apiReport(types, entry === CONTRACT ? undefined : contract);
    const file = reportOf(entry);
    if (process.env.UPDATE_CASES) writeFileSync(file, report);
    t.is(
      report,
      existsSync(file) ? readFileSync(file, "utf8") : "",
      "The public contract differs: review it, and write its report with UPDATE_CASES=1.",
    );
  });
}

test("every report belongs to an entry", (t) => {
  const files = readdirSync("tests/api").filter((name) => name.endsWith(".api.txt"));
  t.deepEqual(files.toSorted(), typed.map(([entry]) => reportOf(entry).slice(10)).toSorted());
});
