/** What Python projects say of their dependencies, in every file that says it. */
import test from "ava";
import fc from "fast-check";
import { runs } from "../../../../tests/support/runs.js";
import { repository } from "../../testing/manager-fixture.js";
import type { Declaration } from "../contract.js";
import { pip } from "./manager.js";

const none = { registries: [] };

type Line = readonly [name: string, requirement: string, section: string, development: boolean];

/** Declarations with what is really written there. */
function lines(files: Readonly<Record<string, string>>): readonly Line[] {
  const { dependencies } = pip.parse(repository(files), none);
  return dependencies.flatMap(({ name, declarations }) =>
    declarations.map(
      ({ file, range, section, development }: Declaration): Line => [
        name,
        files[file]?.slice(range.start, range.end) ?? "",
        section,
        development,
      ],
    ),
  );
}

test("requirement files: extras, markers, hashes, comments, options, files they name", (t) => {
  const files = {
    "requirements.txt": `# größer
-i https://user:secret@pypi.acme.example/simple/
-r more/base.txt
-c constraints.txt
-e ./local
./also-local
git+https://git.example.test/x.git#egg=x
Django[argon2,bcrypt] == 4.2.1 ; python_version >= "3.8"  # keep
requests (>=2.0, <3)
flask==2.0.0 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
bare
named @ https://example.test/named.whl
https://example.test/direct.whl
`,
    "more/base.txt": "six==1.0\n",
    "constraints.txt": "Six<2\n",
    "requirements-dev.in": "pytest~=7.0\n",
    "unrelated.txt": "never==1.0\n",
  };
  const sources = repository(files);
  t.deepEqual([...pip.filesToRead(sources)].sort(), [
    "constraints.txt",
    "more/base.txt",
    "requirements-dev.in",
    "requirements.txt",
  ]);
  t.deepEqual(lines(files), [
    ["six", "<2", "constraints.txt", false],
    ["six", "==1.0", "base.txt", false],
    ["pytest", "~=7.0", "requirements-dev.in", true],
    ["django", "== 4.2.1", "requirements.txt", false],
    ["requests", ">=2.0, <3", "requirements.txt", false],
    ["flask", "==2.0.0", "requirements.txt", false],
  ]);
  const { dependencies } = pip.parse(sources, none);
  const found = (name: string) => dependencies.find((each) => each.name === name);
  t.deepEqual(found("django")?.origin, {
    kind: "registry",
    url: "https://pypi.acme.example/simple",
  });
  t.is(found("django")?.current, "4.2.1");
  t.is(found("requests")?.current, undefined);
  t.deepEqual(found("bare")?.origin, { kind: "none", why: "No version of bare is required." });
  t.deepEqual(found("named")?.origin, {
    kind: "none",
    why: "named does not come from an index in requirements.txt.",
  });
});

test("pyproject.toml of PEP 621 and 735, of Poetry, PDM and uv", (t) => {
  const files = {
    "pyproject.toml": `[build-system]
requires = ["setuptools>=61"]
[project]
name = "App"
description = "Does it"
requires-python = ">=3.8"
dependencies = ["Left-Foo>=1,<2", 'right~=1.0; python_version < "3.9"', "plain"]
[project.optional-dependencies]
fast = ["speed==1.0"]
test = ["pytest>=7"]
[dependency-groups]
dev = ["ruff==0.1.0", {include-group = "other"}]
[tool.poetry.dependencies]
python = "^3.8"
caret = "^1.2"
inline = { version = "~1.2", extras = ["x"] }
several = [{ version = "1.0", python = "<3.9" }, { version = "2.0", python = ">=3.9" }]
from-git = { git = "https://git.example.test/x" }
[tool.poetry.group.docs.dependencies]
sphinx = "*"
[tool.poetry.dev-dependencies]
old-dev = "1.0"
[tool.pdm.dev-dependencies]
lint = ["black==23.1"]
[tool.uv]
dev-dependencies = ["mypy==1.0"]
`,
  };
  t.deepEqual(lines(files), [
    ["setuptools", ">=61", "build-system.requires", true],
    ["left-foo", ">=1,<2", "project.dependencies", false],
    ["right", "~=1.0", "project.dependencies", false],
    ["speed", "==1.0", "project.optional-dependencies.fast", false],
    ["pytest", ">=7", "project.optional-dependencies.test", true],
    ["ruff", "==0.1.0", "dependency-groups.dev", true],
    ["black", "==23.1", "tool.pdm.dev-dependencies.lint", true],
    ["mypy", "==1.0", "tool.uv.dev-dependencies", true],
    ["caret", "^1.2", "tool.poetry.dependencies", false],
    ["inline", "~1.2", "tool.poetry.dependencies", false],
    ["several", "2.0", "tool.poetry.dependencies", false],
    ["old-dev", "1.0", "tool.poetry.dev-dependencies", true],
    ["sphinx", "*", "tool.poetry.group.docs.dependencies", true],
  ]);
  const { self, runtime } = pip.parse(repository(files), none);
  t.like(self, { name: "app", description: "Does it" });
  t.deepEqual(runtime, { python: ">=3.8" });
});

test("setup.cfg, setup.py and Pipfile", (t) => {
  const files = {
    "setup.cfg": `[metadata]\nname = app\n\n[options]\npython_requires = >=3.7\ninstall_requires =\n    left==1.0 ; python_version < "3.9"\n    # no\n    right>=2\ntests_require = nose<2\n\n[options.extras_require]\ntest =\n\tpytest==7.0\nfast = speed>=1\n\n[flake8]\nmax = 1\n`,
    "setup.py": `from setuptools import setup\nVERSION = "1.0"\nsetup(\n    install_requires=[\n        "direct>=1.0,<2.0",  # "not-this==1"\n        'single==3.0',\n        "computed==" + VERSION,\n    ] + MORE,\n    extras_require={"dev": ["tool==1.0"], "fast": ["quick~=1.0"]},\n)\n`,
    Pipfile: `[[source]]\nname = "acme"\nurl = "https://pypi.acme.example/simple"\nverify_ssl = true\n\n[packages]\npiped = "==1.0"\nany = "*"\nlocal = { path = "." }\n\n[dev-packages]\nwith-more = { version = "~=2.0", extras = ["x"] }\n\n[requires]\npython_version = "3.9"\n`,
  };
  t.deepEqual(lines(files), [
    ["piped", "==1.0", "packages", false],
    ["any", "*", "packages", false],
    ["with-more", "~=2.0", "dev-packages", true],
    ["left", "==1.0", "install_requires", false],
    ["right", ">=2", "install_requires", false],
    ["nose", "<2", "tests_require", true],
    ["pytest", "==7.0", "extras_require.test", true],
    ["speed", ">=1", "extras_require.fast", false],
    ["direct", ">=1.0,<2.0", "install_requires", false],
    ["single", "==3.0", "install_requires", false],
    ["tool", "==1.0", "extras_require.dev", true],
    ["quick", "~=1.0", "extras_require.fast", false],
  ]);
});

test("versions come from lock files of four kinds, and the others in them are indirect", (t) => {
  const toml = `[[package]]\nname = "Left_Foo"\nversion = "1.5"\n\n[[package]]\nname = "deep"\nversion = "3.0"\n`;
  const uv = `${toml}\n[[package]]\nname = "app"\nversion = "0.1"\nsource = { virtual = "." }\n`;
  const pipfile = JSON.stringify({
    default: { "left-foo": { version: "==1.5" } },
    develop: { deep: { version: "==3.0" } },
  });
  const locks = { "poetry.lock": toml, "pdm.lock": toml, "uv.lock": uv, "Pipfile.lock": pipfile };
  for (const [name, text] of Object.entries(locks)) {
    const files = { "pyproject.toml": `[project]\ndependencies = ["left-foo"]\n`, [name]: text };
    const { dependencies } = pip.parse(repository(files), none);
    t.deepEqual(
      dependencies
        .map((each) => [each.name, each.current, each.declarations.length, each.lockedBy])
        .sort(),
      [
        ["deep", "3.0", 0, name],
        ["left-foo", "1.5", 1, name],
      ],
      name,
    );
  }
});

test("unreadable files are reported, and parsing continues", (t) => {
  const { dependencies, broken } = pip.parse(
    repository({
      "pyproject.toml": "[project\n",
      Pipfile: "= 1\n",
      "poetry.lock": "[[package]\n",
      "Pipfile.lock": "{",
      "requirements.txt": "left==1.0\n===\n",
    }),
    none,
  );
  t.deepEqual(
    dependencies.map(({ name }) => name),
    ["left"],
  );
  t.deepEqual(broken.map(({ file }) => file).sort(), [
    "Pipfile",
    "Pipfile.lock",
    "poetry.lock",
    "pyproject.toml",
  ]);
  for (const { file, why } of broken) t.regex(why, new RegExp(`^${file}.*\\.$`));
});

test("no content of a repository makes parsing throw", (t) => {
  const word = fc.constantFrom(
    ...[
      "[project]",
      "dependencies",
      "=",
      '"a==1"',
      "{",
      "}",
      "version",
      "[[package]]",
      "[",
      "]",
      ",",
    ],
    ...[
      "\n",
      "a",
      "==1",
      "--hash=sha256:a",
      "\\\n",
      "-r",
      "install_requires=",
      "'b>=1'",
      "#",
      "source",
    ],
    ...["[tool.poetry.dependencies]", "default", '"', ":", "1", "[options]", "install_requires ="],
  );
  const text = fc.array(word).map((words) => words.join(" "));
  const names = [
    ...["requirements.txt", "pyproject.toml", "setup.cfg", "setup.py", "Pipfile"],
    ...["Pipfile.lock", "poetry.lock", "uv.lock"],
  ];
  fc.assert(
    fc.property(fc.array(text, { minLength: names.length, maxLength: names.length }), (texts) => {
      const files = Object.fromEntries(
        names.map((name, position) => [name, texts[position] ?? ""]),
      );
      pip.filesToRead(repository(files));
      pip.parse(repository(files), none);
    }),
    { numRuns: runs(50, 500) },
  );
  t.pass();
});
