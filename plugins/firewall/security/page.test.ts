/** `docs/firewall-security.md` names tests that exist. */
import { globSync, readFileSync } from "node:fs";
import test from "ava";

test("every row of the page names tests that exist", (t) => {
  const page = readFileSync("docs/firewall-security.md", "utf8");
  const [, table = ""] = page.split("| Attack | Result | Test |");
  const rows = table.split("\n").filter((line) => /^\| [^-]/.test(line));
  const files = globSync(["plugins/firewall/**/*.ts", "cli/**/*.ts"]).map((path) => `/${path}`);
  const groups = ["addresses", "names", "alignment", "other traffic", "isolation", "files"];
  for (const row of rows) {
    const shown = row.split(" | ").at(-1) ?? "";
    const named = [...shown.matchAll(/`([^`]+\.ts)`/g)].map(([, name = ""]) => name);
    t.true(named.length > 0 || groups.some((group) => shown.includes(group)), row);
    for (const name of named)
      t.true(
        files.some((file) => file.endsWith(`/${name}`)),
        name,
      );
  }
  t.true(rows.length > 30);
});
