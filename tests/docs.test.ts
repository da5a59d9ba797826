/** Pages keep their word: links lead somewhere, and what is shown as configuration is configuration. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "ava";
import { parse } from "../grammar/parse.js";

/** Its examples are the ones that are wrong. */
const GENERATED = "docs/errors.md";

const pages = globSync(["*.md", "{docs,plugins,examples,daemon,grammar}/**/*.md"])
  .filter((path) => path !== GENERATED && !/(^|\/)(node_modules|dist)\//.test(path))
  .sort();

/** What stands in fences of a language, with the line it starts at. */
function fenced(page: string, language: string): ReadonlyArray<{ text: string; line: number }> {
  const text = readFileSync(page, "utf8");
  return [...text.matchAll(/^([ \t]*)```(\S*)[^\n]*\n([\s\S]*?)^\1```/gm)]
    .filter(([, , name]) => name === language)
    .map((found) => ({
      text: (found[3] ?? "").replaceAll(new RegExp(`^${found[1]}`, "gm"), ""),
      line: text.slice(0, found.index).split("\n").length,
    }));
}

/** Relative links, without what is behind `#`. */
const links = (page: string): readonly string[] =>
  [...readFileSync(page, "utf8").matchAll(/\]\((?!https?:|mailto:|#)([^)#\s]+)[^)]*\)/g)].map(
    ([, target]) => target as string,
  );

test("there are pages to look at", (t) => {
  t.true(pages.includes("README.md"));
  t.true(pages.length >= 8);
});

test("every link leads to a file", (t) => {
  const dead = pages.flatMap((page) =>
    links(page)
      .filter((target) => !existsSync(join(dirname(page), target)))
      .map((target) => `${page}: ${target}`),
  );
  t.deepEqual(dead, []);
});

test("every piece of configuration can be read", (t) => {
  const pieces = pages.flatMap((page) =>
    fenced(page, "reeve").map((piece) => ({ page, ...piece })),
  );
  t.true(pieces.length > 15);
  const errors = pieces.flatMap(({ page, text, line }) =>
    parse({ path: page, text })
      .diagnostics.filter(({ severity }) => severity === "error")
      .map(({ code, message }) => `${page}:${line}: ${code} ${message}`),
  );
  t.deepEqual(errors, []);
});
