/** PDM, Pipenv and Poetry: lock files in process to the byte as they write them, and by themselves where the instance lets them run. */
import ava, { type ExecutionContext } from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import type { Advisory } from "../../advisories/contract.js";
import { repository, type Workshop, workshop } from "../../testing/manager-fixture.js";
import { updatedBy } from "../../testing/propose-update.js";
import {
  bareEnvironments,
  inPythonWith,
  type PythonIndex,
  pythonIndex,
} from "../../testing/python-index.js";
import type { UpdateEdit } from "../contract.js";
import { pip } from "./manager.js";

const test = needs(
  ava,
  program("/usr/bin/pdm", "PDM"),
  program("/usr/bin/pipenv", "Pipenv"),
  program("/usr/bin/poetry", "Poetry"),
);

test.beforeEach((t) => t.timeout(240_000));

type Code = Readonly<Record<string, string>>;

/** Tools are those of the system. */
const systems = (tools: Workshop): Workshop => ({
  ...tools,
  run: (request) =>
    tools.run({
      ...request,
      env: { ...request.env, ...bareEnvironments, PATH: `/usr/bin:${process.env.PATH}` },
    }),
});

interface Scene {
  readonly index: PythonIndex;
  /** `unsafe`: the instance lets tools run. */
  update(
    files: Code,
    name: string,
    unsafe?: boolean,
    advisories?: readonly Advisory[],
  ): Promise<UpdateEdit>;
}

async function scene(t: ExecutionContext, login?: string): Promise<Scene> {
  const index = await pythonIndex({ title: t.title, ...(login === undefined ? {} : { login }) });
  const authorization = `Basic ${Buffer.from(login ?? "").toString("base64")}`;
  const credentials =
    login === undefined ? [] : [{ url: new URL(index.url).origin, authorization }];
  const tools = workshop({ credentials });
  t.teardown(async () => {
    await tools[Symbol.asyncDispose]();
    await index[Symbol.asyncDispose]();
  });
  return {
    index,
    update: (files, name, unsafe = false, advisories = []) =>
      updatedBy({
        ...{ manager: pip, name, advisories, tools: systems(tools), sources: repository(files) },
        settings: {
          registries: [{ manager: "pip", url: index.url }],
          ...(unsafe ? { unsafe: ["pip"] } : {}),
        },
      }),
  };
}

const after = (before: Code, edit: UpdateEdit): Code => ({
  ...before,
  ...Object.fromEntries(edit.files),
});

const pdmProject = (url: string, dependencies: readonly string[], more = ""): string =>
  `[project]\nname = "app"\nversion = "0.1.0"\nrequires-python = ">=3.8"\ndependencies = ${JSON.stringify(dependencies)}\n\n${more}[[tool.pdm.source]]\nname = "pypi"\nurl = "${url}"\nverify_ssl = false\n`;

const PDM = ["pdm", "lock"];
const PDM_REUSE = ["pdm", "install", "--no-self", "--no-default", "--prod"];

test("pdm.lock: a version with the same needs, in all its blocks, to the byte as PDM", async (t) => {
  const { index, update } = await scene(t);
  const requires = ["base>=1.0", "speed ; extra == 'fast'", "base<3 ; python_version < '3.9'"];
  for (const name of ["base", "speed", "tool"]) index.publish(name, "1.0.0");
  index.publish("left-foo", "1.0.0", { requires, python: ">=3.7", summary: 'The "left" one' });
  const manifest = (version: string): string =>
    pdmProject(
      index.url,
      [`Left_Foo[fast]~=${version}`, "base"],
      `[project.optional-dependencies]\nmore = ["speed>=1"]\n\n[tool.pdm.dev-dependencies]\ntest = ["tool>=1"]\n\n[tool.pdm.overrides]\nspeed = "1.0.0"\n\n`,
    );
  const before = await inPythonWith(index, { "pyproject.toml": manifest("1.0") }, PDM);
  index.publish("left-foo", "1.1.0", { requires, python: ">=3.7", summary: "Größer" });
  index.publish("base", "1.5.0");
  const edit = await update(before, "left-foo");
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  const mine = after(before, edit);
  t.is(mine["pyproject.toml"], manifest("1.1"));
  await t.notThrowsAsync(inPythonWith(index, mine, ["pdm", "lock", "--check"]));
  t.deepEqual(
    await inPythonWith(index, { ...mine, "pdm.lock": before["pdm.lock"] ?? "" }, PDM_REUSE),
    mine,
  );
});

test("pdm.lock: other needs are PDM's, where the instance lets it run, without its hooks", async (t) => {
  const { index, update } = await scene(t);
  index.publish("base", "1.4.0");
  index.publish("other", "1.0.0");
  index.publish("left-foo", "1.0.0");
  const hooks = `[tool.pdm.scripts]\npre_lock = "touch hook"\npost_install = "false"\n\n`;
  const manifest = pdmProject(index.url, ["left-foo~=1.0", "other"], hooks);
  const plain = pdmProject(index.url, ["left-foo~=1.0", "other"]);
  const { "pdm.lock": lock = "" } = await inPythonWith(index, { "pyproject.toml": plain }, PDM);
  const before = { "pyproject.toml": manifest, "pdm.lock": lock };
  for (const name of ["other", "base"]) index.publish(name, "1.9.0");
  index.publish("left-foo", "1.2.0", { requires: ["base>=1.0"] });
  const stale = await update(before, "left-foo");
  t.deepEqual(stale.lock, {
    kind: "stale",
    note: "pdm.lock is not refreshed: left-foo 1.2.0 needs other packages than before; pdm may run code of packages, and unsafe_managers does not have pip. Run `pdm lock`.",
  });
  t.false(stale.files.has("pdm.lock"));
  const edit = await update(before, "left-foo", true);
  t.like(edit.lock, { kind: "refreshed", tier: "tool", by: "pdm 2.2.1" });
  const mine = after(before, edit);
  t.regex(mine["pdm.lock"] ?? "", /name = "base"\nversion = "1\.9\.0"/);
  t.regex(mine["pdm.lock"] ?? "", /name = "other"\nversion = "1\.0\.0"/, "the others stay");
  await t.notThrowsAsync(inPythonWith(index, mine, ["pdm", "lock", "--check"]));
});

test("pdm.lock of a newer format is not written over by an older PDM", async (t) => {
  const { index, update } = await scene(t);
  index.publish("left-foo", "1.0.0");
  const before = await inPythonWith(
    index,
    { "pyproject.toml": pdmProject(index.url, ["left-foo~=1.0"]) },
    PDM,
  );
  index.publish("base", "1.4.0");
  index.publish("left-foo", "1.2.0", { requires: ["base"] });
  const newer = (before["pdm.lock"] ?? "").replace(
    'lock_version = "4.0"',
    'lock_version = "4.5.0"',
  );
  const { lock } = await update({ ...before, "pdm.lock": newer }, "left-foo", true);
  if (lock.kind !== "stale") return t.fail(lock.kind);
  t.regex(
    lock.note,
    /pdm 2\.2\.1 writes lock files of an older format, 4\.0 instead of 4\.5\. Run/,
  );
});

const pipfile = (url: string, packages: string, more = ""): string =>
  `[[source]]\nname = "here"\nurl = "${url}"\nverify_ssl = false\n\n[packages]\n${packages}\n[dev-packages]\n${more}\n[requires]\npython_version = "3.11"\n`;

const PIPENV = ["pipenv", "lock"];

test("Pipfile.lock: in process to the byte as Pipenv; other needs are Pipenv's, and all others stay", async (t) => {
  const { index, update } = await scene(t);
  for (const name of ["base", "deep", "gone", "speed", "tool"]) index.publish(name, "1.0.0");
  index.publish("user", "1.0.0", { requires: ["deep"], python: ">=3.7" });
  const requires = ["base (>=1.0)", "gone", "speed ; extra == 'fast'"];
  index.publish("left-foo", "1.0.0", { requires });
  const packages = 'Left_Foo = { version = "~=1.0.0", extras = ["fast"] }\nuser = "*"\n';
  const before = await inPythonWith(
    index,
    { Pipfile: pipfile(index.url, packages, 'tool = "*"\n') },
    PIPENV,
  );

  index.publish("left-foo", "1.1.0", { requires });
  const same = await update(before, "left-foo");
  t.like(same.lock, { kind: "refreshed", tier: "in_process" });
  const mine = after(before, same);
  t.deepEqual(await inPythonWith(index, { ...mine, "Pipfile.lock": "{}" }, PIPENV), mine);
  const another = { ...before, Pipfile: `${before.Pipfile}\n[docs]\nz = "*"\n` };
  const { lock } = await update(another, "left-foo");
  if (lock.kind !== "stale") return t.fail(lock.kind);
  t.regex(lock.note, /made for another Pipfile.*Run `pipenv lock`\.$/);

  for (const name of ["base", "deep", "tool", "user"]) index.publish(name, "1.5.0");
  index.publish("fresh", "1.0.0");
  index.publish("left-foo", "1.2.0", { requires: ["base>=1.2", "fresh"] });
  const stale = await update(mine, "left-foo");
  t.deepEqual(stale.lock, {
    kind: "stale",
    note: "Pipfile.lock is not refreshed: left-foo 1.2.0 needs other packages than before; pipenv may run code of packages, and unsafe_managers does not have pip. Run `pipenv lock`.",
  });
  const edit = await update(mine, "left-foo", true);
  t.like(edit.lock, { kind: "refreshed", tier: "tool", by: "pipenv 2022.12.19" });
  const theirs = after(mine, edit);
  const { default: runtime, develop } = JSON.parse(theirs["Pipfile.lock"] ?? "");
  const versions = Object.entries({ ...runtime, ...develop }).map(
    ([name, entry]) => `${name}${(entry as { version: string }).version}`,
  );
  t.deepEqual(versions.sort(), [
    ...["base==1.5.0", "deep==1.0.0", "fresh==1.0.0", "left-foo==1.2.0"],
    ...["tool==1.0.0", "user==1.0.0"],
  ]);
  // Its hash is that of the Pipfile, and its sums are those of the index: Pipenv installs all of it.
  await t.notThrowsAsync(inPythonWith(index, theirs, ["pipenv", "install", "--deploy", "--dev"]));
});

test("poetry.lock: Poetry moves transitive packages, and all others stay", async (t) => {
  const { index, update } = await scene(t);
  for (const name of ["base", "other"]) index.publish(name, "1.0.0");
  index.publish("left-foo", "1.0.0", { requires: ["base (>=1.0)"] });
  const project = `[tool.poetry]\nname = "app"\nversion = "0.1.0"\ndescription = ""\nauthors = []\n\n[tool.poetry.dependencies]\npython = "^3.8"\nleft-foo = "^1.0"\nother = "*"\n\n[[tool.poetry.source]]\nname = "here"\nurl = "${index.url}/"\ndefault = true\n`;
  const lock = ["poetry", "lock", "--no-update", "--no-interaction"];
  const before = await inPythonWith(index, { "pyproject.toml": project }, lock);
  for (const name of ["other", "fresh", "left-foo"]) index.publish(name, "1.5.0");
  index.publish("base", "1.2.0", { requires: ["fresh"] });
  const advisory: Advisory = {
    ...{ id: "GHSA-x", aliases: [], summary: "A hole" },
    affected: { ecosystem: "PyPI", name: "base", versions: ["1.0.0"], ranges: [] },
  };
  const edit = await update(before, "base", true, [advisory]);
  t.like(edit.lock, { kind: "refreshed", tier: "tool" });
  t.deepEqual([...edit.files.keys()], ["poetry.lock"]);
  const versions = [
    ...(edit.files.get("poetry.lock") ?? "").matchAll(/^name = "(.+)"\nversion = "(.+)"/gm),
  ].map(([, name, version]) => `${name} ${version}`);
  t.deepEqual(versions, ["base 1.2.0", "fresh 1.5.0", "left-foo 1.0.0", "other 1.0.0"]);
});

test("a tool logs in to an index, and the lock file has no credential", async (t) => {
  const { index, update } = await scene(t, "ann:s3cr3t");
  const project = (url: string) => ({ "pyproject.toml": pdmProject(url, ["left-foo~=1.0"]) });
  index.publish("left-foo", "1.0.0");
  const login = index.url.replace("//", "//ann:s3cr3t@");
  const { "pdm.lock": made = "" } = await inPythonWith(index, project(login), PDM);
  index.publish("fresh", "1.0.0");
  index.publish("left-foo", "1.1.0", { requires: ["fresh"] });
  const before = { ...project(index.url), "pdm.lock": made.replaceAll("ann:s3cr3t@", "") };
  const edit = await update(before, "left-foo", true);
  t.like(edit.lock, { kind: "refreshed", tier: "tool" });
  t.regex(edit.files.get("pdm.lock") ?? "", /name = "fresh"/);
  t.notRegex(edit.files.get("pdm.lock") ?? "", /s3cr3t/);
});
