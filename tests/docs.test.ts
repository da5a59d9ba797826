/** Pages keep their word: links lead somewhere, and what is shown as configuration is configuration. */
import { existsSync, globSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import test from "ava";
import { createCatalog } from "../daemon/catalog/catalog.js";
import { load } from "../daemon/config/load.js";
import { MAIN, memoryDisk } from "../daemon/config/testing/memory-disk.js";

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

/** Files that pieces import. */
const IMPORTED = { "shared.reeve": "", "teams/api.reeve": "" };
/** A plugin that is not installed here, a directory that this host does not have. */
const OF_THE_HOST = new Set(["E601", "firewall.unusable"]);

test("every piece of configuration passes `check`", async (t) => {
  t.timeout(300_000);
  const catalog = createCatalog();
  t.teardown(() => catalog.close());
  const pieces = pages.flatMap((page) =>
    fenced(page, "reeve").map((piece) => ({ page, ...piece })),
  );
  t.true(pieces.length > 15);
  const errors: string[] = [];
  for (const { page, text, line } of pieces) {
    const disk = memoryDisk({ ...IMPORTED, "main.reeve": text });
    const { diagnostics } = await load(MAIN, { catalog, environment: {}, ...disk });
    for (const { code, message, severity } of diagnostics) {
      if (severity !== "error" || OF_THE_HOST.has(code)) continue;
      errors.push(`${page}:${line}: ${code} ${message}`);
    }
  }
  t.deepEqual(errors, []);
});
