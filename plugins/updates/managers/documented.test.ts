/** Each table of `docs/updates.md` has a row for every manager, and the tests it links exist. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { packageManagers } from "./index.js";

const page = readFileSync("docs/updates.md", "utf8");
const tables = page.split(/\n(?=\| Manager \|)/).slice(1);

test("every manager has a row, in order", (t) => {
  t.is(tables.length, 2);
  for (const table of tables) {
    const [body = ""] = table.split("\n\n");
    const names = [...body.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name);
    t.deepEqual(names as string[], [...packageManagers].sort());
  }
});

test("the first table describes managers, the second links tests only", (t) => {
  const rows = tables.map((table) =>
    (table.split("\n\n")[0] ?? "").split("\n").filter((line) => line.startsWith("| `")),
  );
  const link = "\\[[\\w-]+\\]\\(\\.\\.\\/[\\w./-]+\\.test\\.ts\\)";
  const links = new RegExp(`^\\| \`\\w+\` (\\| (none to refresh|${link}(, ${link})*) ){4}\\|$`);
  for (const row of rows[0] ?? []) t.notRegex(row, /\.test\.ts/);
  for (const row of rows[1] ?? []) t.regex(row, links);
});

test("every linked test exists", (t) => {
  const named = [...page.matchAll(/\]\(\.\.\/(plugins\/[\w./-]+)\)/g)].map(([, path = ""]) => path);
  t.true(named.length > 50);
  t.deepEqual(
    named.filter((path) => !existsSync(join(process.cwd(), path))),
    [],
  );
});
