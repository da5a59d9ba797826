// Hex, the package manager of Elixir, which this Debian does not have: compiled from the source code in the next one by this one's
// Elixir. Brought here once and kept below node_modules. Started as a program it says which directory `MIX_ARCHIVES` has to name.
import { spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { upstreamSource } from "./newer-debian.mjs";

const CACHE = fileURLToPath(new URL("../node_modules/.cache/reeve", import.meta.url));
/** The number is to be raised when what is made becomes another. */
const PLACE = join(CACHE, "elixir-hex-1");

/** Returns the directory with the archive of Hex. Several processes may ask at once. @throws Error with one sentence */
export function elixirHex() {
  if (existsSync(PLACE)) return PLACE;
  mkdirSync(CACHE, { recursive: true });
  const fresh = mkdtempSync(join(CACHE, ".new-"));
  try {
    const archives = join(fresh, "archives");
    build(fresh, archives);
    try {
      renameSync(archives, PLACE);
    } catch (thrown) {
      if (!existsSync(PLACE)) throw thrown;
    }
  } finally {
    rmSync(fresh, { recursive: true, force: true });
  }
  return PLACE;
}

function build(fresh, archives) {
  const source = join(fresh, "source");
  mkdirSync(source);
  upstreamSource({ name: "erlang-hex", suite: "trixie", directory: source });
  const env = { PATH: process.env.PATH, HOME: fresh, LC_ALL: "C.UTF-8", MIX_ENV: "prod" };
  const made = spawnSync("mix", ["compile"], { cwd: source, env, encoding: "utf8" });
  if (made.status !== 0) {
    const why = made.error?.message ?? made.stderr.trim().split("\n").at(-1);
    throw new Error(`Hex, which tests need, cannot be compiled: ${why}`);
  }
  const [, version] =
    /@version "([^"]+)"/.exec(readFileSync(join(source, "mix.exs"), "utf8")) ?? [];
  const name = `hex-${version}`;
  const inside = join(archives, name, name);
  cpSync(join(source, "_build/prod/lib/hex/ebin"), join(inside, "ebin"), { recursive: true });
  writeFileSync(join(inside, ".elixir"), "~> 1.5");
}

if (process.argv[1] === fileURLToPath(import.meta.url))
  try {
    process.stdout.write(elixirHex());
  } catch (thrown) {
    process.stderr.write(`${thrown.message}\n`);
    process.exitCode = 1;
  }
