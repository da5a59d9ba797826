/** Which repositories are asked for a package, what the project shuts out, and packages in its own directories. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import {
  type ComposerRepository,
  composerProject,
  composerRepository,
  composed as run,
} from "../../testing/composer-repository.js";
import { repository, type Workshop, workshop } from "../../testing/manager-fixture.js";
import { updatedBy } from "../../testing/propose-update.js";
import type { UpdateEdit } from "../contract.js";
import { composer } from "./manager.js";

const withComposer = needs(test, program("composer"));

const LOCKING = ["update", "--no-install", "--no-progress", "--no-audit", "--no-plugins"];

const versionsOf = async (
  project: object,
  tools: Workshop,
  name = "acme/left",
): Promise<readonly string[]> => {
  const sources = repository({ "composer.json": JSON.stringify(project) });
  const [dependency] = composer
    .parse(sources, { registries: [] })
    .dependencies.filter((one) => one.name === name);
  if (!dependency) throw new Error(`${name} was not found`);
  if (dependency.origin.kind === "none") return [dependency.origin.why];
  const available = await composer.available(dependency, tools.lookup.fresh(), { dates: false });
  return composer.comparable(dependency, available).map(({ version }) => version);
};

const rows: ReadonlyArray<readonly [what: string, first: object, more: object, offered: string]> = [
  ["the first that has the package is the only one", {}, {}, "1.0.0"],
  ["one that leaves it open adds to those behind it", { canonical: false }, {}, "1.0.0 2.0.0"],
  ["one that has other packages only is not asked", { only: ["acme/l", "other/*"] }, {}, "2.0.0"],
  ["one that has it among a vendor's", { only: ["acme/*"] }, {}, "1.0.0"],
  ["one that leaves it out is not asked", { exclude: ["Acme/Left"] }, {}, "2.0.0"],
  ["what the project is in conflict with", {}, { conflict: { "acme/left": "1.0.*" } }, ""],
  ["and with others", { exclude: ["*/left"] }, { conflict: { "acme/left": "<2" } }, "2.0.0"],
];
for (const [what, first, more, offered] of rows)
  test(`${what}: ${offered || "nothing"}`, async (t) => {
    await using one = await composerRepository();
    await using other = await composerRepository();
    await using tools = workshop();
    one.publish("acme/left", "1.0.0");
    other.publish("acme/left", "2.0.0");
    const project = {
      repositories: [
        { type: "composer", url: one.url, ...first },
        { type: "composer", url: other.url },
        { "packagist.org": false },
      ],
      ...{ require: { "acme/left": "*" }, ...more },
    };
    t.is((await versionsOf(project, tools)).join(" "), offered);
  });

test("a package that no repository may have is not looked up", async (t) => {
  await using tools = workshop();
  const secret = {
    repositories: [
      { type: "composer", url: "https://own.example.test", exclude: ["acme/*"] },
      { "packagist.org": false },
    ],
    require: { "acme/left": "*" },
  };
  t.deepEqual(await versionsOf(secret, tools), [
    "No repository of packages is left to ask for acme/left.",
  ]);
});

test("a package locked from a file is not looked up", (t) => {
  const { dependencies } = composer.parse(
    repository({
      "composer.json": `{ "repositories": [{ "type": "artifact", "url": "zips" }], "require": { "acme/left": "^1" } }`,
      "composer.lock": `{ "packages": [{ "name": "acme/left", "version": "1.0.0", "dist": { "type": "zip", "url": "zips/left.zip" } }] }`,
    }),
    { registries: [] },
  );
  t.deepEqual(dependencies[0]?.origin, { kind: "none", why: "acme/left comes from a file." });
});

/** A project in `app` that uses `libs/own` beside it, with `version` or by what git says. */
async function withDirectory(at: ComposerRepository, own: object) {
  at.publish("acme/left", "1.0.0");
  const files = {
    "libs/own/composer.json": `${JSON.stringify({ name: "acme/own", require: { "acme/left": "*" }, ...own }, null, 2)}\n`,
    "app/composer.json": composerProject(
      at,
      { "acme/left": "^1.0", "acme/own": "*@dev" },
      {
        repositories: [
          { type: "path", url: "../libs/*" },
          { type: "composer", url: at.url },
          { "packagist.org": false },
        ],
      },
    ),
  };
  return run(at, files, [...LOCKING, "--working-dir", "app"]);
}

const updated = (
  at: ComposerRepository,
  files: Readonly<Record<string, string>>,
  tools: Workshop,
) => {
  // It needs what nothing needed before, so Composer has to work it out.
  at.publish("acme/left", "2.0.0", { require: { "acme/new": "*" } });
  at.publish("acme/new", "1.0.0");
  const sources = repository(files, { directory: "/app" });
  return updatedBy({ manager: composer, sources, name: "acme/left", tools });
};

withComposer.serial("Composer gets packages in directories of the repository", async (t) => {
  t.timeout(90_000);
  await using at = await composerRepository(t.title);
  await using tools = workshop();
  const before = await withDirectory(at, { version: "3.0.0" });
  const edit: UpdateEdit = await updated(at, before, tools);
  t.like(edit.lock, { kind: "refreshed", tier: "tool" });
  const mine = { ...before, ...Object.fromEntries(edit.files) };
  const theirs = await run(
    at,
    { ...mine, "app/composer.lock": before["app/composer.lock"] ?? "" },
    [...LOCKING, "--working-dir", "app", "acme/left", "--with-dependencies"],
  );
  t.deepEqual(mine, theirs);
  t.regex(mine["app/composer.lock"] ?? "", /"name": "acme\/new"/);
});

for (const [what, authorization] of [
  ["a name and a word", `Basic ${Buffer.from("ada:secret:word").toString("base64")}`],
  ["a token", "Bearer secret-word"],
] as const)
  withComposer.serial(`a repository with ${what} gets them from Composer too`, async (t) => {
    t.timeout(90_000);
    await using at = await composerRepository(t.title);
    const before = await withDirectory(at, { version: "3.0.0" });
    at.authorization = authorization;
    await using tools = workshop({ credentials: [{ url: at.url, authorization }] });
    const edit = await updated(at, before, tools);
    t.like(edit.lock, { kind: "refreshed", tier: "tool" });
    t.false([...edit.files.values()].join().includes("secret"));
  });

withComposer.serial(
  "a package that Composer cannot find does not cause an older version",
  async (t) => {
    t.timeout(90_000);
    await using at = await composerRepository(t.title);
    await using tools = workshop();
    const { "libs/own/composer.json": _gone, ...rest } = await withDirectory(at, {});
    const edit = await updated(at, rest, tools);
    if (edit.lock.kind !== "stale") return t.fail(JSON.stringify(edit.lock));
    t.regex(
      edit.lock.note,
      /^app\/composer\.lock is not refreshed: acme\/left 2\.0\.0 needs acme\/new \*, and it is not locked; `composer update` failed: The `url` supplied for the path \(\.\.\/libs\/\*\) repository does not exist\. Run `composer update`\.$/,
    );
    t.deepEqual([...edit.files.keys()], ["app/composer.json"]);
  },
);

withComposer.serial("a version in a directory that only git knows is not guessed", async (t) => {
  t.timeout(90_000);
  await using at = await composerRepository(t.title);
  await using tools = workshop();
  const before = await withDirectory(at, {});
  const lock = before["app/composer.lock"] ?? "";
  const branch = lock.replace(/"version": "dev-\w+"/, '"version": "dev-feature"');
  t.not(branch, lock);
  const edit = await updated(at, { ...before, "app/composer.lock": branch }, tools);
  if (edit.lock.kind !== "stale") return t.fail(JSON.stringify(edit.lock));
  t.regex(edit.lock.note, /packages in directories depend on git/);
});
