/**
 * Every file in `cases/` is a test: a source, a line of dashes, what is said about it (if anything is), another line of
 * dashes, and the outline of the tree. `UPDATE_CASES=1` writes what comes out, to be read before it is committed.
 */
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import test from "ava";
import { SYNTAX_CODES } from "./codes.js";
import { parse } from "./parse.js";
import { render } from "./render.js";
import { outline } from "./testing/outline.js";
import { CASES, DASHES } from "./testing/texts.js";

const files = readdirSync(CASES).filter((name) => name.endsWith(".reeve"));

/** What a case file should read, given its source. */
function complete(text: string): string {
  const source = { path: "main.reeve", text };
  const { tree, diagnostics } = parse(source);
  const said = render(diagnostics, new Map([[source.path, source]]), { limit: 100 });
  const parts = [text, ...(diagnostics.length > 0 ? [said.trimEnd()] : []), outline(tree)];
  return `${parts.join(DASHES)}\n`;
}

for (const name of files) {
  test(name.replace(/\.reeve$/, "").replaceAll("-", " "), (t) => {
    const path = join(CASES, name);
    const written = readFileSync(path, "utf8");
    const [source = ""] = written.split(DASHES);
    const expected = complete(source);
    if (process.env.UPDATE_CASES === "1") writeFileSync(path, expected);
    else t.is(written, expected);
    t.pass();
  });
}

test("there are cases for every code that a text can have", (t) => {
  const all = files.map((name) => readFileSync(join(CASES, name), "utf8")).join("\n");
  const elsewhere = new Set(["E040", "E041", "E042", "E050"]);
  const missing = Object.keys(SYNTAX_CODES).filter(
    (code) => !elsewhere.has(code) && !all.includes(`error[${code}]`),
  );
  t.deepEqual(missing, []);
});
