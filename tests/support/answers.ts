/**
 * Answers of other programs to fixed inputs, with which tests compare: a package manager that has written a lock file need not
 * write the same one in each run. Those of the usual tiers in CI are in `tests/answers`, where `npm test -- --record` puts them;
 * others are kept below node_modules.
 */
import { createHash, randomUUID } from "node:crypto";
import { existsSync, readFileSync, realpathSync, statSync } from "node:fs";
import { mkdir, readFile, rename, writeFile } from "node:fs/promises";
import { delimiter, dirname, join, relative, resolve } from "node:path";
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

/** `recorded`: a directory that is read first. */
export const answersIn =
  (directory: string, recorded?: string): Answer =>
  async <Value>(inputs: unknown, ask: () => Promise<Value>, address?: string) => {
    if (isLong) return ask();
    const text = replaced(JSON.stringify(inputs), address, ADDRESS);
    const name = createHash("sha256").update(text).digest("hex");
    for (const each of [recorded, directory]) {
      if (each === undefined) continue;
      const kept = await readFile(join(each, name), "utf8").catch(() => undefined);
      if (kept === undefined) continue;
      if (isRecorded && recorded && each !== recorded) await keep(recorded, name, kept);
      return JSON.parse(replaced(kept, ADDRESS, address)) as Value;
    }
    const value = await ask();
    const answer = replaced(JSON.stringify(value), address, ADDRESS);
    await keep((isRecorded && recorded) || directory, name, answer);
    return value;
  };

const isRecorded = process.env.REEVE_TEST_RECORD === "1";

async function keep(directory: string, name: string, answer: string): Promise<void> {
  await mkdir(directory, { recursive: true });
  const fresh = join(directory, `${name}.${randomUUID()}`);
  await writeFile(fresh, answer);
  await rename(fresh, join(directory, name));
}

export const answer = answersIn(
  resolve("node_modules", ".cache", "reeve", "answers"),
  resolve("tests", "answers"),
);

/** Says which program it is that a name on PATH means: its version changes its file. */
export function identity(program: string, path = process.env.PATH ?? ""): string {
  const found = path
    .split(delimiter)
    .map((each) => resolve(each, program))
    .find(existsSync);
  if (found === undefined) return program;
  const file = realpathSync(found);
  const inside = relative(process.cwd(), file);
  // The place of the project, and when its packages were installed, change no answer.
  if (!inside.startsWith(".."))
    return `${inside} ${createHash("sha256").update(readFileSync(file)).digest("hex")}`;
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
