/** `docs/security.md` names tests that exist. */
import { existsSync, readFileSync } from "node:fs";
import test from "ava";

test("every threat on the page names tests that exist", (t) => {
  const [, ...parts] = readFileSync("docs/security.md", "utf8").split(
    "| Threat | Measure | Test |",
  );
  const rows = parts.flatMap((part) =>
    (part.split("\n\n")[0] ?? "").split("\n").filter((line) => /^\| [^-]/.test(line)),
  );
  for (const row of rows) {
    const shown = row.split(" | ").at(-1) ?? "";
    const named = [...shown.matchAll(/`([^`]+\.test\.ts)`/g)].map(([, name = ""]) => name);
    t.true(named.length > 0, row);
    for (const name of named) t.true(existsSync(name), name);
  }
  t.true(rows.length > 25);
});
