/** The walk finds what Node's own `glob` finds, on trees and patterns of every kind. */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { glob } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join, matchesGlob, relative, resolve } from "node:path";
import { isDeepStrictEqual } from "node:util";
import test from "ava";
import fc from "fast-check";
import { output } from "../../tests/support/child.js";
import { runs } from "../../tests/support/runs.js";
import { localFileSystem, remoteFileSystem } from "./file-system.js";
import { matcherOf, pathIn, walk } from "./glob-walk.js";

const names = fc.constantFrom("a", "b", "ab", ".a", "a.x", "b.x", ".x");
const paths = fc.array(names, { minLength: 1, maxLength: 3 }).map((parts) => parts.join("/"));
const trees = fc.record({
  files: fc.array(paths, { maxLength: 12 }),
  links: fc.array(fc.tuple(paths, paths), { maxLength: 3 }),
});
const segments = fc.constantFrom("*", "**", "*.x", "a", "a*", "?", "[ab]", "{a,b}", ".a", "a.x");
// To `glob` a file is also what is below itself, so that `a/**` matches a file `a`.
const lasts = segments.filter((segment) => segment !== "**");
// Where a name with a dot follows `**`, `glob` looks for it inside itself, too: `**/.a` finds `.a/.a`. Shells do not.
const isDotAfterStars = /\*\*\/\./;
// `glob` does not follow a link whose name is written out after `**`. Shells do.
const isLinkAfterStars = /\*\*\/[a-z.]+\//;
const patterns = fc
  .tuple(fc.array(segments, { maxLength: 3 }), lasts)
  .map(([parts, last]) => [...parts, last].join("/"))
  .filter((pattern) => !isDotAfterStars.test(pattern) && !isLinkAfterStars.test(pattern));

for (const disk of [localFileSystem, remoteFileSystem]) {
  test(`it finds the same files, ${disk.isNear ? "at once" : "waiting"}`, async (t) => {
    const finding = fc.assert(
      fc.asyncProperty(trees, patterns, async ({ files, links }, pattern) => {
        const directory = mkdtempSync(join(tmpdir(), "reeve-walk-"));
        try {
          for (const file of files) quietly(() => write(join(directory, file)));
          for (const [link, target] of links) {
            quietly(() => symlinkSync(join(directory, target), join(directory, link)));
          }
          const found = await walk(directory, pattern, { disk });
          return isDeepStrictEqual(
            [...found.files]
              .flatMap(([folder, names]) => [...names.keys()].map((name) => pathIn(folder, name)))
              .sort(),
            await reference(directory, pattern),
          );
        } finally {
          rmSync(directory, { recursive: true });
        }
      }),
      { numRuns: runs(30, 200) },
    );
    await t.notThrowsAsync(finding);
  });
}

test("`**` does not enter directories whose names begin with a dot, whatever follows it", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "reeve-walk-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  for (const file of [".a/x", "b/.a/x", ".a/.a/x", "b/.a/.a/x"]) write(join(directory, file));
  const { files } = await walk(directory, "**/.a/*", { disk: localFileSystem });
  t.deepEqual([...files.keys()].sort(), [join(directory, ".a"), join(directory, "b/.a")]);
});

test("a name written out after `**` may be a link, as in shells", async (t) => {
  const directory = mkdtempSync(join(tmpdir(), "reeve-walk-"));
  t.teardown(() => rmSync(directory, { recursive: true }));
  for (const file of ["b/x", ".a/x"]) write(join(directory, file));
  mkdirSync(join(directory, "c"));
  for (const [link, target] of [
    ["l", "b"],
    ["c/l", "b"],
    ["c/h", ".a"],
  ] as const) {
    symlinkSync(join(directory, target), join(directory, link));
  }
  for (const pattern of ["**/l/*", "**/h/*", "c/**/l/x"]) {
    const { files } = await walk(directory, pattern, { disk: localFileSystem });
    const found = [...files].flatMap(([folder, names]) =>
      [...names.keys()].map((name) => relative(directory, pathIn(folder, name))),
    );
    const script = `shopt -s globstar; printf '%s\\n' ${pattern}`;
    const shell = output("bash", ["--norc", "-c", script], { cwd: directory });
    t.deepEqual(found.sort(), shell.trim().split("\n").sort(), pattern);
  }
});

async function reference(cwd: string, pattern: string): Promise<readonly string[]> {
  const entries = await Array.fromAsync(glob(pattern, { cwd, withFileTypes: true }));
  const files = entries.filter((entry) => !entry.isDirectory());
  return [...new Set(files.map(({ parentPath, name }) => resolve(parentPath, name)))].sort();
}

function write(path: string): void {
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, "");
}

/** Of two things with one name the first one stays. */
function quietly(action: () => void): void {
  try {
    action();
  } catch {}
}

const characters = fc.constantFrom(
  "a",
  "b",
  ".",
  "-",
  "*",
  "?",
  "[",
  "]",
  "{",
  "}",
  ",",
  "!",
  "ä",
  "😀",
);
const anySegments = fc.array(characters, { minLength: 1, maxLength: 6 }).map((all) => all.join(""));
const anyNames = fc
  .array(fc.constantFrom("a", "b", ".", "-", ",", "\n", "ä", "😀", "["), {
    minLength: 1,
    maxLength: 6,
  })
  .map((all) => all.join(""))
  .filter((name) => name !== "." && name !== "..");

test("a segment matches the names that Node's own glob matches", (t) => {
  t.notThrows(() =>
    fc.assert(
      fc.property(
        anySegments,
        anyNames,
        (segment, name) => matcherOf(segment)(name) === matchesGlob(name, segment),
      ),
      { numRuns: runs(2000, 20_000) },
    ),
  );
});
