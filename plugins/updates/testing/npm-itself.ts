/** Lock files as npm itself makes them. */
import { mkdir, mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { answer, identity } from "../../../tests/support/answers.js";
import { outputOf } from "../../../tests/support/child.js";
import type { NpmRegistry } from "./npm-registry.js";

type Files = ReadonlyMap<string, string>;

/** The files after `npm install --package-lock-only`. */
export async function npmItself(
  files: Files,
  { url, published }: NpmRegistry,
  ...options: readonly string[]
): Promise<Files> {
  const argv = [
    ...["install", "--package-lock-only", "--ignore-scripts", "--no-audit", "--no-fund"],
    ...[`--registry=${url}`, "--omit-lockfile-registry-resolved=false", ...options],
  ];
  const inputs = [identity("npm"), process.version, argv, [...files], published];
  return new Map(await answer(inputs, async () => [...(await filesAfter(files, argv))], url));
}

async function filesAfter(files: Files, argv: readonly string[]): Promise<Files> {
  const directory = await mkdtemp(join(tmpdir(), "reeve-npm-"));
  try {
    for (const [name, text] of files) {
      await mkdir(dirname(join(directory, name)), { recursive: true });
      await writeFile(join(directory, name), text);
    }
    const [cache, userconfig] = [join(directory, ".cache"), join(directory, "userconfig")];
    await writeFile(userconfig, "");
    const own = [`--cache=${cache}`, `--userconfig=${userconfig}`];
    await outputOf("npm", [...argv, ...own], { cwd: directory });
    const names = [...files.keys(), "package-lock.json"];
    const read = names.map(
      async (name) => [name, await readFile(join(directory, name), "utf8")] as const,
    );
    return new Map(await Promise.all(read));
  } finally {
    await rm(directory, { recursive: true, force: true });
  }
}
