/** `devcontainer.json` and its lock file, against a real registry. */
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { propose } from "../../decide/propose.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { type OciRegistry, ociRegistry } from "../../testing/oci-registry.js";
import type { ManagerSettings, ProjectSources, Tools } from "../contract.js";
import { devcontainers } from "./manager.js";

const withRegistry = needs(test, program("docker-registry"));
const none: ManagerSettings = { registries: [] };
const FILE = ".devcontainer/devcontainer.json";
const LOCK = ".devcontainer/devcontainer-lock.json";

async function updated(sources: ProjectSources, tools: Tools) {
  const { dependencies } = devcontainers.parse(sources, none);
  const decisions = await Promise.all(
    dependencies
      .filter(({ origin }) => origin.kind !== "none")
      .map((dependency) =>
        propose({
          ...{ manager: devcontainers, dependency, runtime: {}, library: false, advisories: [] },
          policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
          ...{ lookup: tools.lookup.fresh(), now: 0 },
        }),
      ),
  );
  const changes = decisions.flatMap((one) => (one.kind === "update" ? [one.change] : []));
  return devcontainers.update({ sources, settings: none, changes }, tools);
}

interface Feature {
  /** Also `1` and `1.2`. @default only the whole version */
  readonly tags?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
}
const publish = (
  registry: OciRegistry,
  version: string,
  { tags = [], metadata = { id: "node", version } }: Feature = {},
): Promise<string> =>
  registry.push("acme/node", version, version, tags, {
    "dev.containers.metadata": JSON.stringify(metadata),
  });

withRegistry("without a lock file, an image and features keep their precision", async (t) => {
  await using registry = await ociRegistry();
  await using tools = workshop();
  await publish(registry, "1.0.0", { tags: ["1", "1.0"] });
  await publish(registry, "2.1.0", { tags: ["2", "2.1", "latest"] });
  const text = (one: string, two: string): string =>
    `// größer\n{ "image": "${registry.host}/acme/node:${two}", "features": { "${registry.host}/acme/node:${one}": {}, "./local": {}, }, }\n`;
  const { files, lock } = await updated(repository({ [FILE]: text("1", "1.0.0") }), tools);
  t.is(files.get(FILE), text("2", "2.1.0"));
  t.deepEqual(lock, { kind: "absent" });
});

const locked = (host: string, tag: string, version: string, digest: string, more = ""): string =>
  `{\n  "features": {\n    "${host}/acme/node:${tag}": {\n      "version": "${version}",\n      "resolved": "${host}/acme/node@${digest}",\n      "integrity": "${digest}"${more}\n    }\n  }\n}\n`;
const feature = (host: string, tag: string): string =>
  `{ "features": { "${host}/acme/node:${tag}": {} } }\n`;

withRegistry("a lock file gets version and digest, a floating tag stays", async (t) => {
  await using registry = await ociRegistry();
  await using tools = workshop();
  const { host } = registry;
  const old = await publish(registry, "1.0.0");
  const next = await publish(registry, "1.4.0", { tags: ["1", "1.4"] });
  const files = { [FILE]: feature(host, "1"), [LOCK]: locked(host, "1", "1.0.0", old) };
  const inRange = await updated(repository(files), tools);
  t.deepEqual(Object.fromEntries(inRange.files), { [LOCK]: locked(host, "1", "1.4.0", next) });
  t.like(inRange.lock, { kind: "refreshed", tier: "in_process" });

  const major = await publish(registry, "2.0.0", { tags: ["2"] });
  const beyond = await updated(repository(files), tools);
  t.deepEqual(Object.fromEntries(beyond.files), {
    [FILE]: feature(host, "2"),
    [LOCK]: locked(host, "2", "2.0.0", major),
  });
});

interface Refused {
  readonly feature?: Feature;
  readonly more?: string;
  readonly note: RegExp;
}
const refused: Readonly<Record<string, Refused>> = {
  "the tag is another version": { feature: {}, note: /: the tag 1 of \S+ is not 1\.4\.0\./ },
  "nothing says what it depends on": {
    feature: { tags: ["1"], metadata: {} },
    note: /1\.4\.0 is published without its metadata\./,
  },
  "it depends on other features": {
    feature: { tags: ["1"], metadata: { version: "1.4.0", dependsOn: { "a.example/b": {} } } },
    note: /1\.4\.0 depends on other features\./,
  },
  "it depended on other features": {
    more: `,\n      "dependsOn": ["a.example/b"]`,
    note: /node:1 depends on other features\./,
  },
};
for (const [why, { feature: published = { tags: ["1"] }, more, note }] of Object.entries(refused))
  withRegistry(`a lock file is stale where ${why}`, async (t) => {
    await using registry = await ociRegistry();
    await using tools = workshop();
    const { host } = registry;
    const old = await publish(registry, "1.0.0", { tags: ["1"] });
    await publish(registry, "1.4.0", published);
    const files = { [FILE]: feature(host, "1"), [LOCK]: locked(host, "1", "1.0.0", old, more) };
    const { files: edited, lock } = await updated(repository(files), tools);
    t.deepEqual(edited, new Map());
    t.regex(lock.kind === "stale" ? lock.note : "", note);
    t.regex(lock.kind === "stale" ? lock.note : "", /Run `devcontainer upgrade`\.$/);
  });

interface Found {
  readonly text: string;
  readonly found: readonly string[];
}
const forms: Readonly<Record<string, Found>> = {
  "an image with comments and a comma at the end": {
    text: `/* a */ { "image": "a:1", // b\n}`,
    found: ["a@1 image"],
  },
  "no image where a Dockerfile is built": {
    text: `{ "build": { "dockerfile": "Dockerfile", "image": "a:1" }, "dockerComposeFile": "c.yml" }`,
    found: [],
  },
  "features in registries only": {
    text: `{ "features": { "ghcr.io/a/b:1": {}, "localhost:5000/a/b:1.2": {}, "./c": {}, "../d:1": {}, "https://e.example/f:1": {}, "node": "18", "acme/x/y@v1": {}, "g.example/h": {} } }`,
    found: [
      "ghcr.io/a/b@1 features",
      "localhost:5000/a/b@1.2 features",
      "g.example/h has no tag, so any version matches.",
    ],
  },
  "a name with an escape, which an edit would miss": {
    text: `{ "image": "a\\u003a1" }`,
    found: [],
  },
};
for (const [what, { text, found }] of Object.entries(forms))
  test(`development containers: ${what}`, (t) => {
    const parsed = devcontainers.parse(repository({ [FILE]: text }), none);
    t.deepEqual(
      parsed.dependencies.map(({ origin, name, current, declarations }) =>
        origin.kind === "none" ? origin.why : `${name}@${current} ${declarations[0]?.section}`,
      ),
      [...found],
    );
    t.deepEqual(parsed.broken, []);
  });

test("development containers: the three paths of the specification, with their lock files", (t) => {
  const paths = [
    ...[".devcontainer.json", ".devcontainer-lock.json", FILE, LOCK],
    ...[".devcontainer/a/devcontainer.json", ".devcontainer/a/devcontainer-lock.json"],
  ];
  const others = [
    "devcontainer.json",
    ".devcontainer/a/b/devcontainer.json",
    ".devcontainer/x.json",
  ];
  const sources = repository(Object.fromEntries([...paths, ...others].map((path) => [path, "{}"])));
  t.deepEqual(devcontainers.filesToRead(sources).toSorted(), paths.toSorted());
});

const broken: ReadonlyArray<readonly [file: string, text: string]> = [
  [FILE, "{"],
  [LOCK, "{ // no comments here\n}"],
];
for (const [file, text] of broken)
  test(`development containers: a broken ${file} is reported in one sentence`, (t) => {
    const files = { [FILE]: feature("ghcr.io", "1"), [LOCK]: "{}", [file]: text };
    const parsed = devcontainers.parse(repository(files), none);
    t.deepEqual(
      parsed.broken.map((each) => each.file),
      [file],
    );
    t.regex(parsed.broken[0]?.why ?? "", /^\S+:1 is not JSON: \w+\.$/);
  });
