/**
 * Answers of other programs to fixed inputs, with which tests compare. They are kept below node_modules, which `npm ci` empties:
 * a package manager that has written a lock file need not write the same one in each run.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { isLong } from "./runs.js";

/** What is in place of the address that is another one in each run. */
const ADDRESS = "http://address.invalid";

/**
 * What `ask` resolves with, or has resolved with in an earlier run: JSON. `inputs` has all on which it depends, the program's
 * version included; an address that is another one in each run is `address`. The long tier always asks.
 */
export type Answer = <Value>(
  inputs: unknown,
  ask: () => Promise<Value>,
  address?: string,
) => Promise<Value>;

export const answersIn =
  (directory: string): Answer =>
  async <Value>(inputs: unknown, ask: () => Promise<Value>, address?: string) => {
    if (isLong) return ask();
    const text = replaced(JSON.stringify(inputs), address, ADDRESS);
    const path = join(directory, createHash("sha256").update(text).digest("hex"));
    const kept = await readFile(path, "utf8").catch(() => undefined);
    if (kept !== undefined) return JSON.parse(replaced(kept, ADDRESS, address)) as Value;
    const value = await ask();
    const fresh = `${path}.${randomUUID()}`;
    await mkdir(directory, { recursive: true });
    await writeFile(fresh, replaced(JSON.stringify(value), address, ADDRESS));
    await rename(fresh, path);
    return value;
  };

export const answer = answersIn(resolve("node_modules", ".cache", "reeve", "answers"));

/** Says which program it is that a name on PATH means: its version changes its file. */
export function identity(program: string, path = process.env.PATH ?? ""): string {
  const found = path
    .split(delimiter)
    .map((each) => resolve(each, program))
    .find(existsSync);
  if (found === undefined) return program;
  const file = realpathSync(found);
  const { size, mtimeMs } = statSync(file);
  // Files of npm packages have one and the same time in all versions.
  const manifest = join(dirname(file), "..", "package.json");
  return `${file} ${size} ${mtimeMs} ${existsSync(manifest) ? readFileSync(manifest, "utf8") : ""}`;
}

/** A server of a test, whose content is among the inputs. */
export interface Served {
  readonly url: string;
  /** All that it serves, or from which it makes that. */
  readonly published: readonly unknown[];
}

/** The text of a module, for what it makes. */
export const source = (url: string): string => readFileSync(fileURLToPath(url), "utf8");

const replaced = (text: string, from: string | undefined, to: string | undefined): string =>
  from === undefined || to === undefined ? text : text.replaceAll(from, to);
