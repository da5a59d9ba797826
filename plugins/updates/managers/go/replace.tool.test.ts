/** Targets of `replace` in go.mod move; Go accepts the result. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { propose } from "../../decide/propose.js";
import { go, goProxy } from "../../testing/go-proxy.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { goModules } from "./manager.js";

const withGo = needs(test, program("go"));

const MAIN = `package main\n\nimport _ "example.test/left"\n\nfunc main() {}\n`;
const goMod = (version: string): string =>
  `module example.test/app\n\ngo 1.17\n\nrequire example.test/left v1.0.0\n\nreplace example.test/left => example.test/fork ${version} // größer\n`;

for (const { what, needs: later, kind } of [
  { what: "with the same requirements", needs: "", kind: "refreshed" },
  { what: "with other requirements", needs: "\nrequire example.test/more v1.0.0\n", kind: "stale" },
] as const)
  withGo(`a fork ${what} is ${kind}`, async (t) => {
    await using proxy = await goProxy();
    await using tools = workshop();
    const code = { "code.go": "package left\n" };
    proxy.publish("example.test/left", "v1.0.0");
    proxy.publish("example.test/more", "v1.0.0");
    proxy.publish("example.test/fork", "v1.0.0", "", code);
    const before = await go({ "main.go": MAIN, "go.mod": goMod("v1.0.0"), "go.sum": "" }, proxy, [
      "mod",
      "tidy",
    ]);
    proxy.publish("example.test/fork", "v1.2.0", later, code);
    const settings = { registries: [{ manager: "go_modules", url: proxy.url }] };
    const sources = repository({ "go.mod": goMod("v1.0.0"), "go.sum": before["go.sum"] ?? "" });
    const dependency = goModules
      .parse(sources, settings)
      .dependencies.find(({ name }) => name === "example.test/fork");
    if (!dependency) return t.fail("the fork was not found");
    const decision = await propose({
      ...{ manager: goModules, dependency, runtime: {}, library: false, advisories: [], now: 0 },
      policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
      lookup: tools.lookup,
    });
    if (decision.kind === "none") return t.fail(decision.why);
    const edit = await goModules.update({ sources, settings, changes: [decision.change] }, tools);
    t.is(edit.files.get("go.mod"), goMod("v1.2.0"));
    t.is(edit.lock.kind, kind);
    if (kind === "stale") return t.false(edit.files.has("go.sum"));
    const after = { "main.go": MAIN, ...Object.fromEntries(edit.files) };
    await t.notThrowsAsync(go(after, proxy, ["build", "./..."]));
    const without = { ...after, "go.sum": before["go.sum"] ?? "" };
    await t.throwsAsync(go(without, proxy, ["build", "./..."]), { message: /go\.sum/ });
  });

test("directories and modules that replace themselves stay", (t) => {
  const text =
    'module a\n\nrequire x/y v1.0.0\n\nreplace (\n\tx/y v1.0.0 => ../y\n\tx/z => x/z v1.1.0\n\tx/q => "x/fork" v1.0.0\n)\n';
  const { dependencies } = goModules.parse(repository({ "go.mod": text }), { registries: [] });
  t.deepEqual(
    dependencies.map(({ name, current, origin }) => [name, current, origin.kind]),
    [
      ["x/y", "v1.0.0", "none"],
      ["x/fork", "v1.0.0", "registry"],
    ],
  );
  const [range] = dependencies[1]?.declarations.map((each) => each.range) ?? [];
  t.is(text.slice(range?.start, range?.end), "v1.0.0");
});
