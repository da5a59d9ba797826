/** The main programming language of a repository, by the names of its files. */

/** A line for each language: its name, then the extensions of its files. */
const extensions = tableOf(`
c: c h
c#: cs
c++: cc cpp hpp
clojure: clj
css: css
dart: dart
elixir: ex exs
elm: elm
erlang: erl
f#: fs
go: go
gradle: gradle
groovy: groovy
haskell: hs
hcl: tf tofu
html: html
java: java
javascript: js cjs mjs jsx
julia: jl
kotlin: kt kts
lua: lua
ocaml: ml
perl: pl
php: php
powershell: ps1
python: py
r: r
ruby: rb gemspec
rust: rs
scala: scala
scss: scss
shell: sh bash
svelte: svelte
swift: swift
typescript: ts cts mts tsx
visual basic .net: vb
vue: vue`);

/** Counted only without source files. */
const manifests = tableOf(`
dockerfile: Dockerfile
go: go.mod
java: pom.xml
javascript: package.json
php: composer.json
python: requirements.txt pyproject.toml Pipfile
ruby: Gemfile gems.rb
rust: Cargo.toml`);

/** Languages by what their files are called. */
function tableOf(lines: string): ReadonlyMap<string, string> {
  const rows = lines
    .trim()
    .split("\n")
    .map((line) => line.split(": "));
  return new Map(
    rows.flatMap(([language = "", names = ""]) => names.split(" ").map((name) => [name, language])),
  );
}

const foreign = /(^|\/)(node_modules|vendor|third_party)\//;

export function languageOfFiles(files: readonly { readonly path: string }[]): string | undefined {
  const names = files.flatMap(({ path }) =>
    foreign.test(path) ? [] : (path.split("/").at(-1) ?? []),
  );
  const byExtension = (name: string): string | undefined =>
    name.includes(".") ? extensions.get(name.split(".").at(-1) ?? "") : undefined;
  return mostOf(names, byExtension) ?? mostOf(names, (name) => manifests.get(name));
}

function mostOf(
  names: readonly string[],
  languageOf: (name: string) => string | undefined,
): string | undefined {
  const counts = Map.groupBy(
    names.flatMap((name) => languageOf(name) ?? []),
    (each) => each,
  );
  return [...counts].toSorted(([, a], [, b]) => b.length - a.length)[0]?.[0];
}
