/** Projects that say things in less usual ways: where packages come from, several lines for one package, files named elsewhere. */
import test from "ava";
import { asWanted, repository, workshop } from "../../testing/manager-fixture.js";
import { pythonIndex } from "../../testing/python-index.js";
import type { Dependency, ManagerSettings } from "../contract.js";
import { pip } from "./manager.js";
import { releaseFiles } from "./registry.js";

type Code = Readonly<Record<string, string>>;

const dependenciesOf = (
  files: Code,
  settings: ManagerSettings = { registries: [] },
): readonly Dependency[] => pip.parse(repository(files), settings).dependencies;

/** Name → where it is asked for, or why nowhere. */
const origins = (files: Code, settings?: ManagerSettings): Code =>
  Object.fromEntries(
    dependenciesOf(files, settings).map(({ name, origin }) => [
      name,
      origin.kind === "registry" ? origin.url : origin.kind === "none" ? origin.why : "",
    ]),
  );

/** What would be edited. */
const written = (files: Code): readonly (readonly [string, string])[] =>
  dependenciesOf(files).flatMap(({ name, declarations }) =>
    declarations.map(
      ({ file, range }) => [name, files[file]?.slice(range.start, range.end) ?? ""] as const,
    ),
  );

const PYPI = "https://pypi.org/simple";
const ACME = "https://pypi.acme.example/simple";
const TORCH = "https://torch.example.test/whl";

const indexes: Readonly<Record<string, readonly [files: Code, origins: Code]>> = {
  "uv: sources of a workspace, of git, of an explicit index": [
    {
      "pyproject.toml": `[project]\ndependencies = ["one>=1", "two>=1", "torch>=2", "other>=1"]\n\n[tool.uv.sources]\nOne = { workspace = true }\ntwo = { git = "https://git.example.test/two" }\ntorch = [{ index = "torch", marker = "sys_platform == 'linux'" }]\n\n[[tool.uv.index]]\nname = "torch"\nurl = "${TORCH}/"\nexplicit = true\n`,
    },
    {
      one: "one does not come from an index in pyproject.toml.",
      two: "two does not come from an index in pyproject.toml.",
      torch: TORCH,
      other: PYPI,
    },
  ],
  "uv: a default index": [
    {
      "pyproject.toml": `[project]\ndependencies = ["one>=1"]\n\n[[tool.uv.index]]\nurl = "${TORCH}"\n\n[[tool.uv.index]]\nurl = "${ACME}"\ndefault = true\n`,
    },
    { one: ACME },
  ],
  "Poetry: sources beside the usual one, and PyPI by its name": [
    {
      "pyproject.toml": `[tool.poetry.dependencies]\none = "^1"\ntwo = { version = "^1", source = "torch" }\nthree = { version = "^1", source = "PyPI" }\n\n[[tool.poetry.source]]\nname = "torch"\nurl = "${TORCH}"\npriority = "explicit"\n\n[[tool.poetry.source]]\nname = "acme"\nurl = "${ACME}"\n`,
    },
    { one: ACME, two: TORCH, three: PYPI },
  ],
  "Poetry 2: where from beside what is in the project": [
    {
      "pyproject.toml": `[project]\ndependencies = ["one>=1", "two>=1"]\n\n[tool.poetry.dependencies]\none = { source = "acme" }\ntwo = { path = "../two" }\n\n[[tool.poetry.source]]\nname = "acme"\nurl = "${ACME}"\npriority = "supplemental"\n`,
    },
    { one: ACME, two: "two does not come from an index in pyproject.toml." },
  ],
  "uv.lock tells the index of each package, and what comes from none": [
    {
      "pyproject.toml": '[project]\nname = "app"\ndependencies = ["one", "two>=1"]\n',
      "uv.lock": `[[package]]\nname = "app"\nversion = "0"\nsource = { virtual = "." }\n${[
        ["one", `registry = "${ACME}"`],
        ["two", `registry = "${PYPI}"`],
        ["deep", 'git = "https://git.example.test/x"'],
      ]
        .map(
          ([name, source]) =>
            `\n[[package]]\nname = "${name}"\nversion = "1.0"\nsource = { ${source} }\n`,
        )
        .join("")}`,
    },
    { one: ACME, two: PYPI, deep: "deep does not come from an index in uv.lock." },
  ],
  "poetry.lock and pdm.lock do, too": [
    {
      "pyproject.toml": "[tool.poetry.dependencies]\n",
      "poetry.lock": `[[package]]\nname = "one"\nversion = "1.0"\n\n[package.source]\ntype = "legacy"\nurl = "${ACME}"\nreference = "acme"\n\n[[package]]\nname = "two"\nversion = "1.0"\n\n[package.source]\ntype = "directory"\nurl = "../two"\n`,
      "pdm.lock": '[[package]]\nname = "three"\nversion = "1.0"\npath = "./three"\n',
    },
    {
      one: ACME,
      two: "two does not come from an index in poetry.lock.",
      three: "three does not come from an index in pdm.lock.",
    },
  ],
};
for (const [what, [files, expected]] of Object.entries(indexes))
  test(`${what}: no other index is queried`, (t) => {
    t.deepEqual(origins(files), expected);
  });

test("an instance's index replaces the public one and the default of the files", (t) => {
  const own = { registries: [{ manager: "pip" as const, url: "https://mirror.example.test" }] };
  const uv = `[[package]]\nname = "two"\nversion = "1.0"\nsource = { registry = "${PYPI}" }\n\n[[package]]\nname = "three"\nversion = "1.0"\nsource = { registry = "${TORCH}" }\n`;
  const files = { "requirements.txt": `--index-url ${ACME}\none==1.0\n`, "uv.lock": uv };
  t.deepEqual(origins(files, own), {
    one: "https://mirror.example.test",
    two: "https://mirror.example.test",
    three: TORCH,
  });
});

const layouts: Readonly<Record<string, readonly [files: Code, written: readonly string[]]>> = {
  "of lines for several Pythons the one for the newest version moves": [
    {
      "requirements.txt":
        'numpy==1.21.6 ; python_version < "3.8"\nnumpy==1.24.4 ; python_version == "3.8"\nnumpy==2.0.1 ; python_version >= "3.9"\nother==1.0 ; python_version < "3.8"\n',
    },
    ["numpy ==2.0.1", "other ==1.0"],
  ],
  "files named without a space, in quotes, and in a circle": [
    {
      "requirements.txt": '-rmore/base.txt\n--requirement="more/other.txt"\n',
      "more/base.txt": "-r ../requirements.txt\none==1.0\n",
      "more/other.txt": "--constraint=base.txt\ntwo==1.0\n",
    },
    ["one ==1.0", "two ==1.0"],
  ],
  "requirements that setuptools and Hatch read from files": [
    {
      "pyproject.toml":
        '[project]\ndynamic = ["dependencies"]\n\n[tool.setuptools.dynamic]\ndependencies = { file = ["deps/run.txt"] }\noptional-dependencies.x = { file = "deps/x.txt" }\n\n[tool.hatch.metadata.hooks.requirements_txt]\nfiles = ["./deps/hatch.txt"]\n',
      "deps/run.txt": "one==1.0\n",
      "deps/x.txt": "two==1.0\n",
      "deps/hatch.txt": "three==1.0\n",
    },
    ["three ==1.0", "one ==1.0", "two ==1.0"],
  ],
  "setup.cfg: several in one line, keys with a dash; setup.py: a tuple": [
    {
      "setup.cfg": "[options]\ninstall-requires = one==1.0; two >=2,<3\n",
      "setup.py": "setup(install_requires=('three~=3.0',))\n",
    },
    ["one ==1.0", "two >=2,<3", "three ~=3.0"],
  ],
  "environments of Hatch, overrides of uv, plugins of Poetry": [
    {
      "pyproject.toml":
        '[tool.hatch.envs.test]\ndependencies = ["one==1.0"]\nextra-dependencies = ["two==1.0"]\n\n[tool.uv]\noverride-dependencies = ["three==1.0"]\nbuild-constraint-dependencies = ["four==1.0"]\n\n[tool.poetry.requires-plugins]\nfive = "1.0"\n',
    },
    ["three ==1.0", "four ==1.0", "one ==1.0", "two ==1.0", "five 1.0"],
  ],
  "categories of a Pipfile": [
    {
      Pipfile: '[packages]\none = "==1.0"\n\n[docs]\ntwo = "~=2.0"\n\n[scripts]\nrun = "==3"\n',
    },
    ["one ==1.0", "two ~=2.0"],
  ],
};
for (const [what, [files, expected]] of Object.entries(layouts))
  test(what, (t) => {
    t.deepEqual(
      written(files).map((each) => each.join(" ")),
      expected,
    );
    const read = asWanted(pip, repository(files));
    t.deepEqual([...read.files.keys()].sort(), Object.keys(files).sort(), "all of it is asked for");
  });

const pythons: ReadonlyArray<readonly [project: string, release: string, runs: boolean]> = [
  [">=3", ">=3.8", true],
  [">=3.7", ">=3.8", false],
  [">=3.8.1,<4", ">=3.8", true],
  ["^3.9", ">=3.9.2", true],
  ["==3.9.*", ">=3.10", false],
  [">=3.8", ">=3.8, !=3.9.0", true],
];
for (const [python, required, runs] of pythons)
  test(`a project for ${python} ${runs ? "takes" : "leaves"} a release for ${required}`, (t) => {
    t.is(pip.runs({ version: "1", runtime: { python: required } }, { python }), runs);
  });

test("a version of another build is not newer", (t) => {
  const releases = ["2.0.0", "2.1.0", "2.1.0+cpu", "2.1.0+cu118", "2.2.0+CU118", "no version"].map(
    (version) => ({ version }),
  );
  const among = (current: string): readonly string[] =>
    pip
      .comparable({ ...({ id: "x", name: "x" } as Dependency), current }, { releases })
      .map(({ version }) => version);
  t.deepEqual(among("2.0.0+cu118"), ["2.1.0+cu118", "2.2.0+CU118"]);
  t.deepEqual(among("2.0.0"), ["2.0.0", "2.1.0"]);
});

test("hashes move with their line; without sums in the index they are stale", async (t) => {
  await using index = await pythonIndex();
  await using tools = workshop();
  for (const version of ["1.0.0", "2.0.0", "2.1.0"]) index.publish("left", version);
  const hash = (letter: string): string => `--hash=sha256:${letter.repeat(64)}`;
  const files = {
    "requirements.txt": `left==1.0.0 ; python_version < "3.8" ${hash("a")}\nleft==2.0.0 ; python_version >= "3.8" ${hash("b")}\n`,
  };
  const settings: ManagerSettings = { registries: [{ manager: "pip", url: index.url }] };
  const sources = repository(files);
  const [dependency] = pip.parse(sources, settings).dependencies;
  if (!dependency) return t.fail();
  t.is(dependency.current, "2.0.0");
  const change = { dependency, to: { version: "2.1.0" }, requirements: ["==2.1.0"] };
  const edit = await pip.update({ sources, settings, changes: [change] }, tools);
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  const [old, next] = (edit.files.get("requirements.txt") ?? "").split("\n");
  t.is(old, files["requirements.txt"].split("\n")[0]);
  t.regex(next ?? "", /^left==2\.1\.0 ; python_version >= "3\.8"( --hash=sha256:[0-9a-f]{64}){2}$/);
  t.notRegex(next ?? "", /bbbb/);

  const without = {
    ...tools,
    lookup: {
      ...tools.lookup,
      fetch: (question: { readonly purpose: string }) =>
        question.purpose.startsWith("files of")
          ? Promise.resolve([])
          : tools.lookup.fetch(question as never),
    },
  };
  const stale = await pip.update({ sources, settings, changes: [change] }, without as never);
  t.deepEqual(stale.lock, {
    kind: "stale",
    note: "requirements.txt keeps the hashes of the version before: The index does not tell the sums of left 2.1.0. Put the new ones in.",
  });
});

const member = (name: string, requirement: string): string =>
  `[project]\nname = "${name}"\nversion = "0.1.0"\ndependencies = ["left${requirement}"]\n`;
const WORKSPACE = '\n[tool.uv.workspace]\nmembers = ["packages/*"]\nexclude = ["packages/not"]\n';

test("a workspace of uv moves in all its projects, and its lock file with them", async (t) => {
  await using index = await pythonIndex();
  await using tools = workshop();
  for (const version of ["1.0.0", "1.1.0"]) index.publish("left", version);
  const locked = (name: string, table: string, requirement: string): string =>
    `[[package]]\nname = "${name}"\nversion = "0.1.0"\nsource = { ${table} }\ndependencies = [\n    { name = "left" },\n]\n\n[package.metadata]\nrequires-dist = [{ name = "left", specifier = "${requirement}" }]\n`;
  const lock = async (version: string, loose: string, tight: string): Promise<string> => {
    const files = await releaseFiles(index.url, "left", version, tools.lookup.fresh());
    const wheels = files
      .map(
        ({ url, sha256, size }) =>
          `    { url = "${url}", hash = "sha256:${sha256}", size = ${size} },\n`,
      )
      .sort();
    return [
      'version = 1\nrequires-python = ">=3.8"\n\n[manifest]\nmembers = [\n    "a",\n    "app",\n    "b",\n]\n',
      locked("a", 'editable = "packages/a"', tight),
      locked("app", 'virtual = "."', tight),
      locked("b", 'editable = "packages/b"', loose),
      `[[package]]\nname = "left"\nversion = "${version}"\nsource = { registry = "${index.url}" }\nwheels = [\n${wheels.join("")}]\n`,
    ].join("\n");
  };
  const project = (loose: string, tight: string): Code => ({
    "pyproject.toml": `${member("app", tight)}${WORKSPACE}`,
    "packages/a/pyproject.toml": member("a", tight),
    "packages/b/pyproject.toml": member("b", loose),
  });
  const before: Code = {
    ...project(">=1", "~=1.0.0"),
    "uv.lock": await lock("1.0.0", ">=1", "~=1.0.0"),
    "packages/not/pyproject.toml": member("not", "==1.0.0"),
  };
  const settings: ManagerSettings = { registries: [{ manager: "pip", url: index.url }] };
  const update = (directory: string) => {
    const sources = { ...repository(before), directory };
    const dependency = pip
      .parse(sources, settings)
      .dependencies.find(({ name }) => name === "left");
    if (!dependency) throw new Error("left was not found");
    const requirements = dependency.declarations.map((each) =>
      pip.requirement(each, { version: "1.1.0" }, "bump_versions"),
    );
    const change = { dependency, to: { version: "1.1.0" }, requirements };
    return pip.update({ sources, settings, changes: [change] }, tools);
  };
  const edit = await update("/");
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  t.deepEqual(
    { ...before, ...Object.fromEntries(edit.files) },
    {
      ...before,
      ...project(">=1", "~=1.1.0"),
      "uv.lock": await lock("1.1.0", ">=1", "~=1.1.0"),
    },
  );
  const alone = await update("/packages/a");
  t.deepEqual(alone.lock, {
    kind: "stale",
    note: "uv.lock is not refreshed: it belongs to the whole workspace, which a configuration for its root updates. Run `uv lock`.",
  });
  t.deepEqual((await update("/packages/not")).lock, { kind: "absent" });
});
