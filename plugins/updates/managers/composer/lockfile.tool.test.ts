/** composer.lock after an update, byte for byte as Composer itself writes it. */
import ava from "ava";
import fc from "fast-check";
import { output } from "../../../../tests/support/child.js";
import { needs, program } from "../../../../tests/support/needs.js";
import type { Advisory } from "../../advisories/contract.js";
import { UpdatesError } from "../../errors.js";
import {
  type ComposerRepository,
  composerProject,
  composerRepository,
  composed as run,
} from "../../testing/composer-repository.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { updatedBy } from "../../testing/propose-update.js";
import { composerContentHash } from "./lockfile/write.js";
import { composer } from "./manager.js";

const test = needs(ava, program("composer"));

const LOCKING = ["--no-install", "--no-scripts", "--no-plugins", "--no-progress", "--no-audit"];

interface Case {
  readonly require: Readonly<Record<string, string>>;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly before: (at: ComposerRepository) => void;
  readonly after: (at: ComposerRepository) => void;
  readonly name: string;
  readonly version: string;
  readonly tier?: "tool";
  /** What else may move. @default what it needs and the project does not require */
  readonly along?: string;
  /** The first version without the vulnerability, for an update of an undeclared dependency. */
  readonly fixed?: string;
}

const cases: Readonly<Record<string, Case>> = {
  "a package alone": {
    require: { php: ">=7.4", "acme/left": "^1.0", "acme/right": "*" },
    before: (at) => {
      at.publish("acme/left", "1.0.0", { require: { "acme/inner": "^1.0 || ^2.0", php: ">=7.2" } });
      at.publish("acme/right", "1.0.0");
      at.publish("acme/inner", "1.4.0");
    },
    after: (at) => {
      at.publish("acme/left", "v2.1.0", {
        require: { php: ">=7.4", "acme/inner": "^1.2" },
        "require-dev": { "z/z": "^1", "a/a": "~2.0" },
        suggest: { "z/z": "for z", "ext-x": "faster" },
        bin: ["bin/left"],
        extra: { "branch-alias": { "dev-main": "2.x-dev" }, empty: {} },
        conflict: { "acme/right": "<0.5" },
        funding: [{ type: "x", url: "https://example.test/" }],
        abandoned: "acme/other",
      });
      at.publish("acme/inner", "1.9.0");
    },
    name: "acme/left",
    version: "v2.1.0",
  },
  "for development, a patch in range": {
    require: { "acme/right": "^1.0" },
    more: { "require-dev": { "acme/left": "~1.0.0" } },
    before: (at) => {
      at.publish("acme/left", "1.0.0");
      at.publish("acme/right", "1.0.0");
    },
    after: (at) =>
      at.publish("acme/left", "1.0.9", { type: "Metapackage-Like", time: "2026-02-03 04:05:06" }),
    name: "acme/left",
    version: "1.0.9",
  },
  "packages that stand in for others stay": {
    require: { "acme/left": "^1.0", "acme/whole": "^3.0" },
    before: (at) => {
      at.publish("acme/left", "1.0.0", {
        require: { "acme/part": "^3.0", "psr/log-implementation": "1.0" },
      });
      at.publish("acme/whole", "3.1.0", {
        replace: { "acme/part": "self.version" },
        provide: { "psr/log-implementation": "1.0" },
      });
    },
    after: (at) =>
      at.publish("acme/left", "1.2.0", {
        require: { "acme/part": "^3.0", "psr/log-implementation": "1.0" },
      }),
    name: "acme/left",
    version: "1.2.0",
  },
  "what only others need, for a hole": {
    require: { "acme/left": "^1.0" },
    before: (at) => {
      at.publish("acme/left", "1.0.0", { require: { "acme/inner": "^1.0" } });
      at.publish("acme/inner", "1.4.0");
    },
    after: (at) => at.publish("acme/inner", "1.4.2"),
    name: "acme/inner",
    version: "1.4.2",
    fixed: "1.4.1",
  },
  "what it needs moves along, by Composer itself": {
    require: { "acme/left": "^1.0" },
    before: (at) => {
      at.publish("acme/left", "1.0.0", { require: { "acme/inner": "^1.0" } });
      at.publish("acme/inner", "1.4.0");
    },
    after: (at) => {
      at.publish("acme/left", "2.0.0", { require: { "acme/inner": "^2.0", "acme/fresh": "*" } });
      at.publish("acme/inner", "2.0.0");
      at.publish("acme/fresh", "0.1.0");
    },
    name: "acme/left",
    version: "2.0.0",
    tier: "tool",
  },
  "what the project requires itself moves along where nothing else helps": {
    require: { "acme/left": "^1.0", "acme/right": "^1.0", "acme/still": "^1.0" },
    before: (at) => {
      for (const name of ["left", "right", "still"]) at.publish(`acme/${name}`, "1.0.0");
    },
    after: (at) => {
      at.publish("acme/left", "2.0.0", { require: { "acme/right": "^1.5" } });
      at.publish("acme/right", "1.5.0");
      at.publish("acme/still", "1.5.0");
    },
    name: "acme/left",
    version: "2.0.0",
    tier: "tool",
    along: "--with-all-dependencies",
  },
};

const advisory = (name: string, fixed: string): Advisory => ({
  ...{ id: "X", aliases: [], summary: "" },
  affected: {
    ...{ ecosystem: "Packagist", name, versions: [] },
    ranges: [{ kind: "versions", events: [{ introduced: "0" }, { fixed }] }],
  },
});

for (const [what, given] of Object.entries(cases))
  for (const plain of given.tier ? [false] : [false, true])
    test.serial(`as composer: ${what}${plain ? ", from plain files" : ""}`, async (t) => {
      t.timeout(90_000);
      await using at = await composerRepository(t.title);
      at.plain = plain;
      await using tools = workshop();
      given.before(at);
      const start = { "composer.json": composerProject(at, given.require, given.more) };
      const before = await run(at, start, ["update", ...LOCKING]);
      given.after(at);
      const edit = await updatedBy({
        manager: composer,
        sources: repository(before),
        name: given.name,
        tools,
        advisories: given.fixed === undefined ? [] : [advisory(given.name, given.fixed)],
      });
      t.like(edit.lock, { kind: "refreshed", tier: given.tier ?? "in_process" });
      const mine = { ...before, ...Object.fromEntries(edit.files) };
      const old = { ...mine, "composer.lock": before["composer.lock"] ?? "" };
      const theirs = await run(at, old, [
        ...[
          "update",
          given.name,
          ...LOCKING,
          ...(given.tier ? [given.along ?? "--with-dependencies"] : []),
        ],
      ]);
      t.is(mine["composer.lock"], theirs["composer.lock"]);
      t.regex(mine["composer.lock"] ?? "", new RegExp(`"version": "${given.version}"`));
    });

/** Two packages, of which the second needs the first. */
async function locked(at: ComposerRepository) {
  at.publish("acme/left", "1.0.0");
  at.publish("acme/strict", "1.0.0", {
    require: { "acme/left": "<1.5" },
    conflict: { "acme/left": "1.2.0" },
  });
  const start = {
    "composer.json": composerProject(at, { "acme/left": "^1.0", "acme/strict": "*" }),
  };
  return run(at, start, ["update", ...LOCKING]);
}

test.serial(
  "what a locked package does not allow, or is in conflict with, is refused",
  async (t) => {
    t.timeout(90_000);
    await using at = await composerRepository(t.title);
    await using tools = workshop();
    const sources = repository(await locked(at));
    for (const [version, why] of [
      ["1.2.0", "acme/strict 1.0.0 does not go together with acme/left 1.2.0."],
      ["1.6.0", "acme/strict 1.0.0 needs acme/left <1.5, and 1.6.0 is used."],
    ] as const) {
      at.publish("acme/left", version);
      await t.throwsAsync(updatedBy({ manager: composer, sources, name: "acme/left", tools }), {
        instanceOf: UpdatesError,
        code: "does_not_resolve",
        message: why,
      });
    }
  },
);

test.serial("without Composer, a lock that cannot be refreshed in process is stale", async (t) => {
  t.timeout(90_000);
  await using at = await composerRepository(t.title);
  await using tools = workshop();
  const before = await locked(at);
  at.publish("acme/left", "1.1.0", { require: { "acme/fresh": "*" } });
  at.publish("acme/fresh", "1.0.0");
  const without = {
    ...tools,
    run: async () => tools.run({ argv: ["sh", "-c", "exit 127"], cwd: tools.scratch }),
  };
  const input = {
    manager: composer,
    sources: repository(before),
    name: "acme/left",
    tools: without,
  };
  const edit = await updatedBy({ ...input, policy: { strategy: "bump_versions" } });
  t.deepEqual([...edit.files.keys()], ["composer.json"]);
  if (edit.lock.kind !== "stale") return t.fail();
  t.regex(edit.lock.note, /left 1\.1\.0 needs acme\/fresh \*.*not locked.*`composer update`/);

  // A lock of another composer.json is not patched.
  const other = {
    ...before,
    "composer.json": (before["composer.json"] ?? "").replace('"*"', '"^1"'),
  };
  at.publish("acme/left", "1.1.1");
  const stale = await updatedBy({ ...input, sources: repository(other) });
  t.regex(stale.lock.kind === "stale" ? stale.lock.note : "", /for another composer\.json/);
});

test("the hash of a composer.json is Composer's", (t) => {
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 3 },
      fc.string({ unit: "grapheme" }),
      fc.integer(),
      fc.boolean(),
      fc.constant(null),
      tie("list"),
      tie("map"),
    ),
    list: fc.array(tie("value"), { maxLength: 3 }),
    map: fc.dictionary(fc.oneof(fc.string(), fc.constantFrom("a/b", "0", "1")), tie("value"), {
      maxKeys: 4,
    }),
  }));
  const key = fc.constantFrom(
    "name",
    "require",
    "extra",
    "repositories",
    "description",
    "minimum-stability",
    "config",
    "version",
  );
  const documents = fc
    .sample(fc.dictionary(key, json.value, { maxKeys: 6 }), 150)
    .map((one) => JSON.stringify({ ...one, config: { platform: { php: "8.1" } } }, null, 2));
  const code = `require "/usr/share/php/Composer/autoload.php"; echo json_encode(array_map(fn($d) => Composer\\Package\\Locker::getContentHash($d), json_decode(stream_get_contents(STDIN), true)));`;
  const text = output("php", ["-r", code], { input: JSON.stringify(documents) });
  const theirs = JSON.parse(text) as readonly string[];
  t.deepEqual(documents.map(composerContentHash), theirs);
});
