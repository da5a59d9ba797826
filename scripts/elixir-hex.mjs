// Hex, the package manager of Elixir, which Debian 12 lacks: compiled with Debian 12's Elixir from the next release's source. Run
// as a program, this prints the directory for `MIX_ARCHIVES`.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { upstreamSource } from "./debian-source.mjs";
import { asProgram, fetchOnce, run } from "./fetched-tools.mjs";

/** Returns the directory with Hex's archive. Raise the number when the build changes. */
export const elixirHex = () => fetchOnce("elixir-hex-1", build);

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
