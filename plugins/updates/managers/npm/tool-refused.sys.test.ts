/** Package managers that are not run: they cannot be had, they are not what was asked for, they would run code of the repository. */
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import test from "ava";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmRegistry } from "../../testing/npm-registry.js";
import { publishTool } from "../../testing/package-tools.js";
import {
  byHand,
  files,
  KINDS,
  locked,
  OLD,
  publishNews,
  settingsFor,
  updated,
} from "../../testing/tool-projects.js";

// A package manager is started several times; a small machine may take its time.
test.beforeEach((t) => t.timeout(120_000));

for (const name of ["pnpm", "yarn"] as const) {
  const kind = KINDS[name];
  test.serial(`${name}: without the tool the update says what to run`, async (t) => {
    await using registry = await npmRegistry(OLD);
    await using tools = workshop();
    const old = await locked(name, registry);
    publishNews(registry);
    // Another version may be installed on this machine.
    const packageManager = name === "pnpm" ? "pnpm@10.0.0" : "yarn@4.0.0";
    const sources = repository({ ...old, ...files({ packageManager }) });
    const edit = await updated(sources, "foo", settingsFor(registry.url), tools);
    t.deepEqual([...edit.files.keys()], ["package.json"]);
    if (edit.lock.kind !== "stale") return t.fail(edit.lock.kind);
    t.regex(edit.lock.note, /is not refreshed: .* cannot be had: .* Run `/);
  });

  test.serial(`${name}: a tool with another digest does not run`, async (t) => {
    await using registry = await npmRegistry(OLD);
    await using tools = workshop();
    const packed = await publishTool(registry, kind.tool);
    const old = await locked(name, registry);
    publishNews(registry);
    const content = name === "pnpm" ? packed : await readFile(kind.tool.argv[1] ?? "");
    const right = createHash("sha512").update(content).digest("hex");
    const outcomes = [];
    for (const digest of [right, right.replaceAll("a", "b")]) {
      const packageManager = `${name}@${kind.tool.version}+sha512.${digest}`;
      const sources = repository({ ...old, ...files({ packageManager }) });
      const edit = await updated(sources, "foo", settingsFor(registry.url), tools);
      outcomes.push(edit.lock.kind === "stale" ? edit.lock.note : edit.lock.kind);
    }
    t.is(outcomes[0], "refreshed");
    t.regex(outcomes[1] ?? "", /not what `packageManager` says/);
  });
}

const code: ReadonlyArray<
  readonly [what: string, kind: keyof typeof KINDS, more: Record<string, string>, note: RegExp]
> = [
  [
    "a .pnpmfile.cjs",
    "pnpm",
    { ".pnpmfile.cjs": `require("node:fs").writeFileSync("PROOF", "")` },
    /\.pnpmfile\.cjs is code of the repository/,
  ],
  [
    "a dependency of the configuration",
    "pnpm",
    { "pnpm-workspace.yaml": "configDependencies:\n  rules: 1.0.0\n" },
    /`configDependencies` in pnpm-workspace\.yaml is code/,
  ],
  [
    "a plugin",
    "yarn",
    {
      ".yarnrc.yml":
        "plugins:\n  - path: .yarn/plugins/mine.cjs\n    spec: https://example.test/mine.js\n",
    },
    /plugin https:\/\/example\.test\/mine\.js is code of the repository/,
  ],
];
for (const [what, name, more, note] of code)
  test.serial(`${name}: ${what} does not run, and the note says so`, async (t) => {
    await using registry = await npmRegistry(OLD);
    await using tools = workshop();
    await publishTool(registry, KINDS[name].tool);
    const old = await byHand(KINDS[name], new Map(Object.entries(files())), registry);
    publishNews(registry);
    const sources = repository({ ...Object.fromEntries(old), ...more });
    const before = registry.log.length;
    const edit = await updated(sources, "foo", settingsFor(registry.url), tools);
    if (edit.lock.kind !== "stale") return t.fail(edit.lock.kind);
    t.regex(edit.lock.note, note);
    t.false(registry.log.slice(before).some((line) => line.includes(`/${KINDS[name].tool.name}`)));
  });
