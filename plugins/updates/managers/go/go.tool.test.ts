/** Go modules with a proxy of plain files, compared with `go` itself. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { type UpdateDecision } from "../../decide/contract.js";
import { propose } from "../../decide/propose.js";
import { type GoProxy, go, goProxy } from "../../testing/go-proxy.js";
import { repository, type Workshop, workshop } from "../../testing/manager-fixture.js";
import type { ManagerSettings, ProjectSources, UpdateEdit } from "../contract.js";
import { goModules } from "./manager.js";
import { readGoMod } from "./manifest.js";

const withGo = needs(test, program("go"));

type Code = Readonly<Record<string, string>>;

const settingsFor = (url: string): ManagerSettings => ({
  registries: [{ manager: "go_modules", url }],
});

async function decide(
  sources: ProjectSources,
  name: string,
  url: string,
  tools: Workshop,
): Promise<UpdateDecision> {
  const found = goModules.parse(sources, settingsFor(url));
  const dependency = found.dependencies.find((one) => one.name === name);
  if (!dependency) throw new Error(`${name} was not found`);
  return propose({
    manager: goModules,
    dependency,
    runtime: found.runtime,
    library: false,
    advisories: [],
    policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
    lookup: tools.lookup.fresh(),
    now: 0,
  });
}

async function updated(
  sources: ProjectSources,
  name: string,
  url: string,
  tools: Workshop,
): Promise<UpdateEdit> {
  const decision = await decide(sources, name, url, tools);
  if (decision.kind === "none") throw new Error(decision.why);
  const reading = {
    ...tools,
    read: async (paths: readonly string[]) =>
      new Map(paths.map((path) => [path, sources.files.get(path) ?? ""])),
  };
  return goModules.update(
    { sources, settings: settingsFor(url), changes: [decision.change] },
    reading,
  );
}

const MAIN = `package main\n\nimport (\n\t"example.test/Left"\n\t"example.test/right"\n)\n\nvar _ = Left.X\nvar _ = right.X\n\nfunc main() {}\n`;
const GO_MOD = `module example.test/app // größer\n\ngo 1.17\n\nrequire (\n\texample.test/Left v1.0.0 // keep\n\texample.test/right v1.0.0\n)\n`;

async function project(proxy: GoProxy): Promise<Code> {
  const left = { "code.go": 'package Left\n\nimport "example.test/inner"\n\nvar X = inner.X\n' };
  const right = { "code.go": "package right\n\nvar X = 1\n" };
  const inner = { "code.go": "package inner\n\nvar X = 1\n" };
  proxy.publish("example.test/inner", "v0.1.0", "", inner);
  proxy.publish("example.test/Left", "v1.0.0", "\nrequire example.test/inner v0.1.0\n", left);
  proxy.publish("example.test/right", "v1.0.0", "", right);
  return go({ "go.mod": GO_MOD, "main.go": MAIN }, proxy, ["mod", "tidy"]);
}

withGo.serial("a module alone moves as `go get` moves it, and the build goes on", async (t) => {
  await using proxy = await goProxy();
  await using tools = workshop();
  const before = await project(proxy);
  proxy.publish("example.test/right", "v1.3.0", "", {
    "code.go": "package right\n\nvar X = 2\n",
    "sub/deep.go": "package sub\n",
  });
  const edit = await updated(repository(before), "example.test/right", proxy.url, tools);
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  const mine = { ...before, ...Object.fromEntries(edit.files) };
  const theirs = await go(before, proxy, ["get", "-d", "example.test/right@v1.3.0"]);
  t.deepEqual(mine, theirs);
  await t.notThrowsAsync(go(mine, proxy, ["build", "-mod=readonly", "./..."]));
});

withGo.serial("what the new version needs rises with it, as with `go get`", async (t) => {
  await using proxy = await goProxy();
  await using tools = workshop();
  const before = await project(proxy);
  proxy.publish("example.test/inner", "v0.2.0", "", { "code.go": "package inner\n\nvar X = 2\n" });
  proxy.publish("example.test/Left", "v1.1.0", "\nrequire example.test/inner v0.2.0\n", {
    "code.go": 'package Left\n\nimport "example.test/inner"\n\nvar X = inner.X\n',
  });
  const edit = await updated(repository(before), "example.test/Left", proxy.url, tools);
  t.like(edit.lock, { kind: "refreshed", tier: "in_process" });
  const mine = { ...before, ...Object.fromEntries(edit.files) };
  const theirs = await go(before, proxy, ["get", "-d", "example.test/Left@v1.1.0"]);
  t.deepEqual(mine, theirs);
  await t.notThrowsAsync(go(mine, proxy, ["build", "-mod=readonly", "./..."]));
});

withGo.serial(
  "a new module comes in by way of Go itself; without Go the update says so",
  async (t) => {
    await using proxy = await goProxy();
    await using tools = workshop();
    const before = await project(proxy);
    proxy.publish("example.test/fresh", "v0.0.1", "", {
      "code.go": "package fresh\n\nvar X = 1\n",
    });
    proxy.publish("example.test/right", "v1.1.0", "\nrequire example.test/fresh v0.0.1\n", {
      "code.go": 'package right\n\nimport "example.test/fresh"\n\nvar X = fresh.X\n',
    });
    const edit = await updated(repository(before), "example.test/right", proxy.url, tools);
    t.like(edit.lock, { kind: "refreshed", tier: "tool" });
    const mine = { ...before, ...Object.fromEntries(edit.files) };
    t.regex(mine["go.mod"] ?? "", /example\.test\/fresh v0\.0\.1 \/\/ indirect/);
    await t.notThrowsAsync(go(mine, proxy, ["build", "-mod=readonly", "./..."]));

    const without = {
      ...tools,
      run: async () => await tools.run({ argv: ["sh", "-c", "exit 127"], cwd: tools.scratch }),
    };
    const stale = await updated(repository(before), "example.test/right", proxy.url, without);
    if (stale.lock.kind !== "stale") return t.fail();
    t.regex(stale.lock.note, /example\.test\/fresh.*go mod tidy/);
  },
);

test("retracted versions, other major versions and those that need a newer Go are skipped", async (t) => {
  await using proxy = await goProxy();
  await using tools = workshop();
  for (const version of ["v1.0.0", "v1.1.0"]) proxy.publish("example.test/x", version);
  proxy.publish("example.test/x", "v1.2.0", "\nretract [v1.1.5, v1.2.0] // published by mistake\n");
  proxy.publish("example.test/x", "v2.0.0+incompatible");
  const sources = repository({
    "go.mod": "module a\n\ngo 1.18\n\nrequire example.test/x v1.0.0\n",
  });
  const decision = await decide(sources, "example.test/x", proxy.url, tools);
  t.is(decision.kind === "update" ? decision.to : "", "v1.1.0");

  proxy.publish("example.test/x", "v1.3.0", "go 1.23\n");
  await t.throwsAsync(updated(sources, "example.test/x", proxy.url, tools), {
    code: "does_not_resolve",
  });
});

test("go.mod is read with ranges, in blocks and in single lines", (t) => {
  const text = `\uFEFFmodule "example.test/a"\r\ngo 1.21.3\r\nrequire example.test/b v1.0.0 // indirect\r\nrequire (\r\n\texample.test/c v0.0.0-20200101000000-abcdefabcdef\r\n)\r\nreplace example.test/b v1.0.0 => ../b\r\nexclude example.test/c v0.1.0\r\nretract v1.0.1 // broken\r\ntool example.test/tool\r\n`;
  const read = readGoMod(text);
  t.is(read.module, "example.test/a");
  t.is(read.go, "1.21.3");
  t.deepEqual(
    read.requirements.map(({ path, range, indirect }) => [
      path,
      text.slice(range.start, range.end),
      indirect,
    ]),
    [
      ["example.test/b", "v1.0.0", true],
      ["example.test/c", "v0.0.0-20200101000000-abcdefabcdef", false],
    ],
  );
  t.deepEqual([...read.replaced], [["example.test/b", "../b"]]);
  t.deepEqual([...read.excluded], ["example.test/c@v0.1.0"]);
  t.deepEqual(read.retracted, [{ from: "v1.0.1", to: "v1.0.1", why: "broken" }]);
});

test("excluded versions are not proposed, and replaced modules are not updated", async (t) => {
  await using proxy = await goProxy();
  await using tools = workshop();
  for (const version of ["v1.0.0", "v1.1.0", "v1.2.0"])
    proxy.publish("example.test/left", version, "", { "code.go": "package left\n" });
  const text = (more: string): string =>
    `module example.test/app\n\ngo 1.17\n\nrequire example.test/left v1.0.0\n${more}`;
  const to = async (files: Code): Promise<string> => {
    const said = await decide(repository(files), "example.test/left", proxy.url, tools);
    return said.kind === "update" ? said.to : said.why;
  };
  t.is(await to({ "go.mod": text("") }), "v1.2.0");
  t.is(await to({ "go.mod": text("\nexclude example.test/left v1.2.0\n") }), "v1.1.0");
  const work = "go 1.19\n\nuse .\n\nreplace (\n\texample.test/left => ../left\n)\n";
  t.is(
    await to({ "go.mod": text(""), "go.work": work }),
    "example.test/left is replaced by ../left.",
  );
});
