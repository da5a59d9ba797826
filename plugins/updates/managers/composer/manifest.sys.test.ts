/** What is read of composer.json and composer.lock. */
import test from "ava";
import fc from "fast-check";
import { repository } from "../../testing/manager-fixture.js";
import type { ManagerSettings } from "../contract.js";
import { composer } from "./manager.js";

const NONE: ManagerSettings = { registries: [] };
const read = (files: Readonly<Record<string, unknown>>, settings = NONE) =>
  composer.parse(
    repository(
      Object.fromEntries(
        Object.entries(files).map(([name, value]) => [
          name,
          typeof value === "string" ? value : JSON.stringify(value, null, 4),
        ]),
      ),
    ),
    settings,
  );

test("requirements, for development too, with locked versions and without the platform", (t) => {
  const { dependencies, runtime } = read({
    "composer.json": {
      require: { php: "^8.1", "ext-json": "*", "Acme/Left": "^1.0", "acme/both": "^2" },
      "require-dev": { "acme/both": "^2.1", "acme/dev": "1.2.3", "acme/branch": "dev-main" },
    },
    "composer.lock": {
      packages: [
        { name: "acme/left", version: "v1.2.0" },
        { name: "acme/deep", version: "0.1.0" },
      ],
      "packages-dev": [
        { name: "acme/deeper", version: "0.2.0" },
        { name: "acme/branch", version: "dev-main" },
      ],
    },
  });
  t.deepEqual(runtime, { php: "^8.1" });
  t.deepEqual(
    dependencies.map(({ name, current, development, declarations, origin }) => [
      ...[name, current, development, origin.kind],
      declarations.map(({ section }) => section).join(),
    ]),
    [
      ["acme/left", "v1.2.0", false, "registry", "require"],
      ["acme/both", undefined, false, "registry", "require,require-dev"],
      ["acme/dev", "1.2.3", true, "registry", "require-dev"],
      ["acme/branch", undefined, true, "none", "require-dev"],
      ["acme/deep", "0.1.0", false, "registry", ""],
      ["acme/deeper", "0.2.0", true, "registry", ""],
    ],
  );
});

test("repositories in their order, the public one last or not at all; the instance's in its place", (t) => {
  const origins = (repositories: unknown, settings?: ManagerSettings) =>
    read(
      { "composer.json": { repositories, require: { "acme/x": "1.0", "acme/inline": "1.0" } } },
      settings,
    ).dependencies.map(({ origin, extra }) =>
      origin.kind === "registry"
        ? [origin.url, extra?.others].filter((one) => one).join(" ")
        : origin.kind,
    );
  const own = { type: "composer", url: "https://user:word@own.example.test/" };
  const inline = { type: "package", package: { name: "acme/inline", version: "1.0" } };
  t.deepEqual(origins([own, inline]), [
    "https://own.example.test https://repo.packagist.org",
    "none",
  ]);
  t.deepEqual(origins({ own, "packagist.org": false })[0], "https://own.example.test");
  t.deepEqual(origins([{ "packagist.org": false }])[0], "none");
  const settings: ManagerSettings = {
    registries: [
      { manager: "composer", url: "http://mirror.test/" },
      { manager: "composer", url: "http://inside.test", scope: "https://own.example.test" },
    ],
  };
  t.deepEqual(origins([own], settings)[0], "http://inside.test http://mirror.test");
});

test("packages from directories and version control are left alone", (t) => {
  const { dependencies } = read({
    "composer.json": {
      repositories: [
        { type: "vcs", url: "https://git.example.test/a.git" },
        { type: "path", url: "../b" },
      ],
      require: { "acme/a": "^1.0", "acme/b": "^1.0" },
    },
    "composer.lock": {
      packages: [
        { name: "acme/a", version: "1.0.0", source: { url: "https://git.example.test/a.git" } },
        { name: "acme/b", version: "1.0.0", dist: { type: "path", url: "../b" } },
      ],
    },
  });
  t.deepEqual(
    dependencies.map(({ origin }) => (origin.kind === "none" ? origin.why : "")),
    ["acme/a comes from a repository of its own.", "acme/b comes from a directory."],
  );
});

test("only a project that calls itself a library is one", async (t) => {
  for (const [type, library] of [
    ["library", true],
    ["project", false],
    [undefined, false],
  ] as const) {
    const found = read({ "composer.json": { name: "acme/x", ...(type ? { type } : {}) } });
    t.is(found.self !== undefined, library);
  }
});

test("invalid JSON is reported in one sentence, and parsing continues", (t) => {
  const { broken, dependencies } = read({
    "composer.json": { require: { "acme/x": "^1.0" } },
    "composer.lock": "{\n<<<<<<< ours\n}",
  });
  t.is(dependencies.length, 1);
  t.is(broken.length, 1);
  t.regex(broken[0]?.why ?? "", /^composer\.lock:2 is not JSON/);
  t.regex(read({ "composer.json": "{" }).broken[0]?.why ?? "", /^composer\.json:1 is not JSON/);
});

test("for any composer.json and lock, parsing ends", (t) => {
  const json = fc.json({ maxDepth: 4 });
  const odd = fc.record({
    require: fc.jsonValue(),
    repositories: fc.jsonValue(),
    packages: fc.jsonValue(),
    "packages-dev": fc.array(
      fc.record({ name: fc.jsonValue(), version: fc.jsonValue(), source: fc.jsonValue() }),
    ),
    config: fc.jsonValue(),
  });
  fc.assert(
    fc.property(
      fc.oneof(
        json,
        odd.map((one) => JSON.stringify(one)),
        fc.string(),
      ),
      (text) => {
        t.notThrows(() => read({ "composer.json": text, "composer.lock": text }));
      },
    ),
  );
});
