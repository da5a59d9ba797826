/** The main programming language of a repository, by the names of its files. */

const extensions: Readonly<Record<string, string>> = {
  ...{
    c: "c",
    h: "c",
    cc: "c++",
    cpp: "c++",
    hpp: "c++",
    cs: "c#",
    fs: "f#",
    vb: "visual basic .net",
  },
  ...{
    clj: "clojure",
    css: "css",
    dart: "dart",
    elm: "elm",
    erl: "erlang",
    ex: "elixir",
    exs: "elixir",
  },
  ...{ go: "go", gradle: "gradle", groovy: "groovy", hs: "haskell", html: "html", java: "java" },
  ...{ js: "javascript", cjs: "javascript", mjs: "javascript", jsx: "javascript", jl: "julia" },
  ...{
    kt: "kotlin",
    kts: "kotlin",
    lua: "lua",
    ml: "ocaml",
    php: "php",
    pl: "perl",
    ps1: "powershell",
  },
  ...{
    py: "python",
    r: "r",
    rb: "ruby",
    gemspec: "ruby",
    rs: "rust",
    scala: "scala",
    scss: "scss",
  },
  ...{ sh: "shell", bash: "shell", svelte: "svelte", swift: "swift", tf: "hcl", tofu: "hcl" },
  ...{ ts: "typescript", cts: "typescript", mts: "typescript", tsx: "typescript", vue: "vue" },
};

/** Counted only without source files. */
const manifests: Readonly<Record<string, string>> = {
  ...{ "package.json": "javascript", Gemfile: "ruby", "gems.rb": "ruby", "composer.json": "php" },
  ...{ "pom.xml": "java", "go.mod": "go", "Cargo.toml": "rust", "requirements.txt": "python" },
  ...{ "pyproject.toml": "python", Pipfile: "python", Dockerfile: "dockerfile" },
};

const foreign = /(^|\/)(node_modules|vendor|third_party)\//;

export function languageOfFiles(files: readonly { readonly path: string }[]): string | undefined {
  const names = files.flatMap(({ path }) =>
    foreign.test(path) ? [] : (path.split("/").at(-1) ?? []),
  );
  const byExtension = (name: string): string | undefined =>
    name.includes(".") ? memberOf(extensions, name.split(".").at(-1) ?? "") : undefined;
  return mostOf(names, byExtension) ?? mostOf(names, (name) => memberOf(manifests, name));
}

const memberOf = (table: Readonly<Record<string, string>>, key: string): string | undefined =>
  Object.hasOwn(table, key) ? table[key] : undefined;

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
