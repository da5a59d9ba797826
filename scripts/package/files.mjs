// The files that a program needs to run: the npm package without what only authors of plugins read, and its native library.
import { execFileSync } from "node:child_process";
import {
  chmodSync,
  cpSync,
  globSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";

/** Where systems have it. */
export const LIBRARY = "usr/lib/reeve";

const UNUSED =
  /\.d\.[cm]?ts$|\/dist\/types($|\/)|\/(README|CHANGELOG)\.md$|\/LICENSE$|\.txt$|\.cdx\.json$/;

/** `stage` has the files of the npm package. */
export function copyFiles(library, stage) {
  cpSync(stage, library, { recursive: true, filter: (path) => !UNUSED.test(path) });
  const koffi = [
    "koffi/{index.js,index.cjs,indirect.js,indirect.cjs,package.json,LICENSE.txt}",
    "koffi/{lib,src}/**/*.{js,cjs}",
    `@koromix/koffi-linux-${process.arch}/{index.js,package.json,linux_${process.arch}/**}`,
  ];
  for (const path of globSync(koffi, { cwd: "node_modules", withFileTypes: true })) {
    if (path.isDirectory()) continue;
    const from = join(path.parentPath, path.name);
    const to = join(library, from.slice(from.indexOf("node_modules")));
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to);
  }
}

/** The program with a Node of its own below `tree`; `names` has the name of each command in /usr/bin. */
export function installProgram(tree, stage, names) {
  const library = join(tree, LIBRARY);
  copyFiles(library, stage);
  const node = join(library, "node");
  execFileSync("strip", ["--strip-unneeded", "-o", node, process.execPath]);
  mkdirSync(join(tree, "usr/bin"), { recursive: true });
  for (const [command, name] of Object.entries(names)) {
    const file = join(library, "dist/cli", `${command}.js`);
    const text = readFileSync(file, "utf8");
    const own = text.replace("exec node -- ", `exec /${LIBRARY}/node -- `);
    if (own === text) throw new Error(`${file} does not start Node as expected`);
    writeFileSync(file, own);
    chmodSync(file, 0o755);
    symlinkSync(`../lib/reeve/dist/cli/${command}.js`, join(tree, "usr/bin", name));
  }
  for (const path of globSync("**/*", { cwd: library, withFileTypes: true })) {
    const file = join(path.parentPath, path.name);
    if (path.isDirectory()) chmodSync(file, 0o755);
    else if (!/\/node$|\/dist\/cli\/[a-z]+\.js$/.test(file)) chmodSync(file, 0o644);
  }
}

/** Writes a file and the directories above it. */
export function put(tree, path, content, mode = 0o644) {
  const file = join(tree, path);
  mkdirSync(dirname(file), { recursive: true });
  writeFileSync(file, content);
  chmodSync(file, mode);
}
