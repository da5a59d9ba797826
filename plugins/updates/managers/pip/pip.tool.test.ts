/** Indexes and lock files, against Poetry and pip themselves. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { propose } from "../../decide/propose.js";
import { repository, type Workshop, workshop } from "../../testing/manager-fixture.js";
import { inPythonWith, type PythonIndex, pythonIndex } from "../../testing/python-index.js";
import type { ManagerSettings, ProjectSources, UpdateEdit } from "../contract.js";
import { pip } from "./manager.js";

const withPip = needs(test, program("/usr/bin/pip3", "pip"));

const withPoetry = needs(test, program("/usr/bin/poetry", "Poetry"));

type Code = Readonly<Record<string, string>>;

const settingsFor = ({ url }: PythonIndex): ManagerSettings => ({
  registries: [{ manager: "pip", url }],
});

async function updated(
  sources: ProjectSources,
  name: string,
  settings: ManagerSettings,
  tools: Workshop,
): Promise<UpdateEdit> {
  const found = pip.parse(sources, settings);
  const dependency = found.dependencies.find((one) => one.name === name);
  if (!dependency) throw new Error(`${name} was not found`);
  const decision = await propose({
    manager: pip,
    dependency,
    runtime: found.runtime,
    library: false,
    advisories: [],
    policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
    lookup: tools.lookup.fresh(),
    now: 0,
  });
  if (decision.kind === "none") throw new Error(decision.why);
  return pip.update({ sources, settings, changes: [decision.change] }, tools);
}

const after = (before: Code, edit: UpdateEdit): Code => ({
  ...before,
  ...Object.fromEntries(edit.files),
});

const pyproject = (url: string, dependencies: string): string =>
  `[tool.poetry]\nname = "app"\nversion = "0.1.0"\ndescription = "größer"\nauthors = []\n\n[tool.poetry.dependencies]\npython = "^3.8"\n${dependencies}\n[[tool.poetry.source]]\nname = "here"\nurl = "${url}/"\ndefault = true\n\n[build-system]\nrequires = []\nbuild-backend = "poetry.core.masonry.api"\n`;

const POETRY = ["poetry", "lock", "--no-update", "--no-interaction"];

withPoetry("poetry.lock: a version with the same needs, to the byte as Poetry", async (t) => {
  t.timeout(120_000);
  await using index = await pythonIndex({ title: t.title });
  await using tools = workshop();
  index.publish("base", "1.4.0");
  index.publish("left-foo", "1.0.0", { requires: ["base (>=1.0)"], summary: 'The "left" one' });
  const before = await inPythonWith(
    index,
    { "pyproject.toml": pyproject(index.url, 'left-foo = "^1.0"\n') },
    POETRY,
  );
  index.publish("left-foo", "1.2.0", { requires: ["base (>=1.0)"], summary: "Better" });
  const edit = await updated(repository(before), "left-foo", settingsFor(index), tools);
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  const mine = after(before, edit);
  t.regex(mine["pyproject.toml"] ?? "", /left-foo = "\^1\.2"/);
  t.deepEqual(
    await inPythonWith(index, { ...mine, "poetry.lock": before["poetry.lock"] ?? "" }, POETRY),
    mine,
  );
});

withPoetry("poetry.lock: other needs are Poetry's, where the instance lets it run", async (t) => {
  t.timeout(120_000);
  await using index = await pythonIndex({ title: t.title });
  await using tools = workshop();
  index.publish("base", "1.4.0");
  index.publish("left-foo", "1.0.0");
  const before = await inPythonWith(
    index,
    { "pyproject.toml": pyproject(index.url, 'left-foo = "^1.0"\n') },
    POETRY,
  );
  index.publish("left-foo", "1.2.0", { requires: ["base (>=1.0)"] });
  const stale = await updated(repository(before), "left-foo", settingsFor(index), tools);
  if (stale.lock.kind !== "stale") return t.fail(JSON.stringify(stale.lock));
  t.is(
    stale.lock.note,
    "poetry.lock is not refreshed: left-foo 1.2.0 needs other packages than before; poetry may run code of packages, and unsafe_managers does not have pip. Run `poetry lock`.",
  );
  const settings: ManagerSettings = { ...settingsFor(index), unsafe: ["pip"] };
  const system: Workshop = {
    ...tools,
    run: (request) =>
      tools.run({ ...request, env: { ...request.env, PATH: `/usr/bin:${process.env.PATH}` } }),
  };
  const edit = await updated(repository(before), "left-foo", settings, system);
  if (edit.lock.kind !== "refreshed") return t.fail(edit.lock.kind);
  t.is(edit.lock.tier, "tool");
  t.regex(edit.lock.by, /^poetry \d+\.\d+\.\d+$/);
  t.regex(edit.files.get("poetry.lock") ?? "", /name = "base"/);
});

withPoetry("requirements of other locked packages count", async (t) => {
  t.timeout(120_000);
  await using index = await pythonIndex({ title: t.title });
  await using tools = workshop();
  index.publish("base", "1.4.0");
  index.publish("left-foo", "1.0.0", { requires: ["base (<2)"] });
  const before = await inPythonWith(
    index,
    { "pyproject.toml": pyproject(index.url, 'left-foo = "^1.0"\nbase = "^1.0"\n') },
    POETRY,
  );
  index.publish("base", "2.0.0");
  await t.throwsAsync(updated(repository(before), "base", settingsFor(index), tools), {
    code: "does_not_resolve",
    message: "left-foo 1.0.0 requires <2 of base, which 2.0.0 is not.",
  });
});

withPip(
  "hashes in a requirement file are those of the new version, and pip installs by them",
  async (t) => {
    t.timeout(120_000);
    await using index = await pythonIndex({ title: t.title });
    await using tools = workshop();
    index.publish("left-foo", "1.0.0");
    index.publish("right", "2.0.0");
    const line = (name: string, version: string): string =>
      `${name}==${version} \\\n    --hash=sha256:${"0".repeat(64)} \\\n    --hash=sha256:${"1".repeat(64)}\n    # via app\n`;
    const before = { "requirements.txt": `${line("left-foo", "1.0.0")}${line("right", "2.0.0")}` };
    index.publish("left-foo", "1.1.0");
    let files: Code = before;
    index.publish("right", "2.1.0");
    for (const name of ["left-foo", "right"]) {
      const edit = await updated(repository(files), name, settingsFor(index), tools);
      t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
      files = after(files, edit);
    }
    t.regex(
      files["requirements.txt"] ?? "",
      /^left-foo==1\.1\.0 \\\n( {4}--hash=sha256:[0-9a-f]{64} ?\\?\n){2} {4}# via app\nright==2\.1\.0/,
    );
    const download = ["download", "--quiet", "--no-deps", "--require-hashes", "--dest", "out"];
    const pipDownload = [
      "/usr/bin/pip3",
      ...download,
      "--index-url",
      index.url,
      "-r",
      "requirements.txt",
    ];
    await t.notThrowsAsync(inPythonWith(index, files, pipDownload));
    await t.throwsAsync(inPythonWith(index, before, pipDownload), { message: /hash/i });

    index.publish("left-foo", "1.2.0", { requires: ["fresh"] });
    const stale = await updated(repository(files), "left-foo", settingsFor(index), tools);
    if (stale.lock.kind !== "stale") return t.fail();
    t.regex(stale.lock.note, /left-foo 1\.2\.0 needs other packages than before\./);
  },
);

const wheels = (name: string, version: string, files: readonly string[]): string =>
  `wheels = [\n${files.map((file) => `    ${file},\n`).join("")}]\n`
    .replace("NAME", name)
    .replace("VERSION", version);

test("uv.lock: the files of the new version and what the project requires", async (t) => {
  t.timeout(120_000);
  await using index = await pythonIndex({ title: t.title });
  await using tools = workshop();
  index.publish("base", "1.0.0");
  index.publish("left-foo", "1.0.0", { requires: ["base >=1"] });
  const served = async (version: string): Promise<string> => {
    const { releaseFiles: filesOf } = await import("./registry.js");
    const files = await filesOf(index.url, "left-foo", version, tools.lookup.fresh());
    return wheels(
      "left-foo",
      version,
      files
        .toSorted((a, b) => (a.name < b.name ? -1 : 1))
        .map(
          ({ url, sha256, size }) =>
            `{ url = "${url}", hash = "sha256:${sha256}", size = ${size}, upload-time = "2026-01-02T03:04:05.678Z" }`,
        ),
    );
  };
  const lock = (version: string, requirement: string, files: string): string =>
    `version = 1\nrevision = 2\nrequires-python = ">=3.8"\n\n[[package]]\nname = "app"\nversion = "0.1.0"\nsource = { virtual = "." }\ndependencies = [\n    { name = "left-foo" },\n]\n\n[package.metadata]\nrequires-dist = [{ name = "left-foo", specifier = "${requirement}" }]\n\n[[package]]\nname = "base"\nversion = "1.0.0"\nsource = { registry = "${index.url}" }\n\n[[package]]\nname = "left-foo"\nversion = "${version}"\nsource = { registry = "${index.url}" }\ndependencies = [\n    { name = "base" },\n]\n${files}`;
  const project = (requirement: string): string =>
    `[project]\nname = "app"\nversion = "0.1.0"\ndependencies = ["left-foo${requirement}"]\n`;
  const before = {
    "pyproject.toml": project("~=1.0.0"),
    "uv.lock": lock("1.0.0", "~=1.0.0", await served("1.0.0")),
  };
  index.publish("left-foo", "1.1.0", { requires: ["base >=1.0"] });
  const edit = await updated(repository(before), "left-foo", settingsFor(index), tools);
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  t.deepEqual(after(before, edit), {
    "pyproject.toml": project("~=1.1.0"),
    "uv.lock": lock("1.1.0", "~=1.1.0", await served("1.1.0")),
  });

  index.publish("left-foo", "1.2.0", { requires: ["base >=2"] });
  const without = {
    ...tools,
    run: () => tools.run({ argv: ["sh", "-c", "exit 127"], cwd: tools.scratch }),
  };
  const stale = await updated(repository(before), "left-foo", settingsFor(index), without);
  if (stale.lock.kind !== "stale") return t.fail();
  t.regex(
    stale.lock.note,
    /left-foo 1\.2\.0 needs base >=2; uv is not installed\. Run `uv lock`\.$/,
  );
});

test("yanked files, other Pythons and pages of links", async (t) => {
  t.timeout(120_000);
  await using index = await pythonIndex({ title: t.title });
  await using tools = workshop();
  index.publish("left-foo", "1.0.0");
  index.publish("left-foo", "1.1.0", { python: ">=3.8,<4" });
  index.publish("left-foo", "1.2.0", { python: ">=3.12" });
  index.publish("left-foo", "1.3.0", { yanked: true });
  const sources = repository({
    "setup.cfg": "[options]\npython_requires = >=3.8\ninstall_requires = left_foo==1.0.0\n",
  });
  const edit = await updated(sources, "left-foo", settingsFor(index), tools);
  t.regex(edit.files.get("setup.cfg") ?? "", /left_foo==1\.1\.0/);

  const [dependency] = pip.parse(sources, settingsFor(index)).dependencies;
  if (!dependency) return t.fail();
  const asPages = {
    ...tools.lookup,
    fetch: (question: Parameters<typeof tools.lookup.fetch>[0]) =>
      tools.lookup.fetch({ ...question, accept: "text/html" }) as never,
  };
  const wants = { dates: false };
  const [json, page] = await Promise.all([
    pip.available(dependency, tools.lookup, wants),
    pip.available(dependency, asPages as never, wants),
  ]);
  t.deepEqual(
    page.releases,
    json.releases.map(({ published: _, ...release }) => release),
  );
});
