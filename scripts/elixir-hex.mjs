// Hex, the package manager of Elixir, which this Debian does not have: compiled from the source code in the next one by this one's
// Elixir. Started as a program it says which directory `MIX_ARCHIVES` has to name.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { asProgram, brought, run } from "./brought.mjs";
import { upstreamSource } from "./newer-debian.mjs";

/** Returns the directory with the archive of Hex. The number is to be raised when what is made becomes another. */
export const elixirHex = () => brought("elixir-hex-1", build);

function build(archives, fresh) {
  const source = join(fresh, "source");
  mkdirSync(source);
  upstreamSource({ name: "erlang-hex", suite: "trixie", directory: source });
  const env = { PATH: process.env.PATH, HOME: fresh, LC_ALL: "C.UTF-8", MIX_ENV: "prod" };
  run("mix", ["compile"], "Hex, which tests need, cannot be compiled", source, env);
  const [, version] =
    /@version "([^"]+)"/.exec(readFileSync(join(source, "mix.exs"), "utf8")) ?? [];
  const name = `hex-${version}`;
  const inside = join(archives, name, name);
  cpSync(join(source, "_build/prod/lib/hex/ebin"), join(inside, "ebin"), { recursive: true });
  writeFileSync(join(inside, ".elixir"), "~> 1.5");
}

asProgram(import.meta.url, elixirHex);
