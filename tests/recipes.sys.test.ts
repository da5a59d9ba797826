/** CONTRIBUTING's recipes name every file that a change of their kind touches: each is followed for an existing specimen. */
import { existsSync, readFileSync } from "node:fs";
import { dirname } from "node:path";
import test from "ava";
import { isShipped, relativeImports, sourceFiles } from "./source-files.js";

const [, section = ""] = /<!-- recipes -->([\s\S]*)<!-- \/recipes -->/.exec(
  readFileSync("CONTRIBUTING.md", "utf8"),
) as RegExpExecArray;
const recipes = new Map(
  section
    .split(/^### /m)
    .slice(1)
    .map((text) => [
      text.slice(0, text.indexOf("\n")),
      [...text.matchAll(/^\| `([^`]+)` \|/gm)].map(([, path = ""]) => path),
    ]),
);

/** A specimen per recipe: the words in its paths, and the module that only its recipe's files may import. */
const specimens: ReadonlyArray<{
  readonly recipe: string;
  readonly names: Readonly<Record<string, string>>;
}> = [
  { recipe: "Add a command", names: { NAME: "rollback" } },
  { recipe: "Add a verifier", names: { NAME: "stripe" } },
  { recipe: "Add a package manager", names: { NAME: "elm" } },
  { recipe: "Add a dashboard screen", names: { PLUGIN: "hooks" } },
];

test("there is a specimen for every recipe", (t) => {
  t.deepEqual(
    specimens.map(({ recipe }) => recipe),
    [...recipes.keys()],
  );
});

const imports = sourceFiles.filter(isShipped).map((file) => [file, relativeImports(file)] as const);
const importers = (module: string): readonly string[] =>
  imports
    .filter(([, targets]) => targets.includes(module.replace(/\.tsx?$/, ".js")))
    .map(([file]) => file);

for (const { recipe, names } of specimens) {
  const files = (recipes.get(recipe) ?? []).map((path) =>
    path.replace(/NAME|PLUGIN/g, (word) => names[word] ?? word),
  );
  const [module = ""] = files;

  test(`${recipe.toLowerCase()}: at most three files, all present`, (t) => {
    t.true(files.length >= 2 && files.length <= 3);
    t.deepEqual(
      files.filter((file) => !existsSync(file)),
      [],
    );
  });

  test(`${recipe.toLowerCase()}: no other file refers to ${module}`, (t) => {
    const found = importers(module).filter(
      (file) => dirname(file) !== dirname(module) || files.includes(file),
    );
    t.true(found.length > 0);
    t.deepEqual(
      found.filter((file) => !files.includes(file)),
      [],
    );
  });
}

test("no file outside of a package manager's folder has its id", (t) => {
  const found = sourceFiles.filter(
    (file) =>
      isShipped(file) &&
      !file.startsWith("plugins/updates/managers/elm/") &&
      /"elm"|managers\/elm\b|\.\/elm\//.test(readFileSync(file, "utf8")),
  );
  t.deepEqual(found, ["plugins/updates/managers/index.ts"]);
});
