/** What an update says of lock files that it does not refresh. */
import test from "ava";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmAndYarn } from "./manager.js";

const MANIFEST = `{ "name": "app", "dependencies": { "foo": "^1.0.0" } }\n`;
/** Versions that no machine has. */
const NAMED = (tool: string) => MANIFEST.replace("{", `{ "packageManager": "${tool}",`);
const PNPM = `lockfileVersion: '9.0'\nimporters:\n  .:\n    dependencies:\n      foo:\n        specifier: ^1.0.0\n        version: 1.0.0\n`;
const BERRY = `__metadata:\n  version: 8\n\n"foo@npm:^1.0.0":\n  version: 1.0.0\n  resolution: "foo@npm:1.0.0"\n`;

const cases: ReadonlyArray<
  readonly [
    what: string,
    directory: string,
    files: Readonly<Record<string, string>>,
    note: RegExp | undefined,
  ]
> = [
  ["none", "/", { "package.json": MANIFEST }, undefined],
  [
    "pnpm's",
    "/",
    { "package.json": NAMED("pnpm@10.0.0"), "pnpm-lock.yaml": PNPM },
    /^pnpm-lock\.yaml .*`pnpm install --lockfile-only`/,
  ],
  [
    "Yarn 4's",
    "/",
    { "package.json": NAMED("yarn@4.0.0"), "yarn.lock": BERRY },
    /^yarn\.lock .*`yarn install --mode=update-lockfile`/,
  ],
  [
    "one further up",
    "/packages/a",
    { "packages/a/package.json": MANIFEST, "package-lock.json": "{}" },
    /^package-lock\.json may lock this directory/,
  ],
  [
    "one beside",
    "/packages/a",
    { "packages/a/package.json": MANIFEST, "packages/b/package-lock.json": "{}" },
    undefined,
  ],
];
for (const [what, directory, files, note] of cases)
  test(`a lock file, ${what}`, async (t) => {
    await using tools = workshop();
    const sources = repository(files, { directory });
    const url = "http://127.0.0.1:1";
    const settings = { registries: [{ manager: "npm_and_yarn" as const, url }] };
    const [dependency] = npmAndYarn.parse(sources, settings).dependencies;
    if (!dependency) return t.fail("foo was not found");
    const change = { dependency, to: { version: "2.0.0" }, requirements: ["^2.0.0"] };
    const edit = await npmAndYarn.update({ sources, settings, changes: [change] }, tools);
    t.is(edit.files.size, 1);
    t.is(edit.lock.kind, note ? "stale" : "absent");
    if (note && edit.lock.kind === "stale") t.regex(edit.lock.note, note);
  });
