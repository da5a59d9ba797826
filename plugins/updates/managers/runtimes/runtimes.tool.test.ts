/** Versions of runtimes in all their files, against real tags and real registries of images and packages. */
import { createHash } from "node:crypto";
import test from "ava";
import { needs, program } from "../../../../tests/support/needs.js";
import { propose } from "../../decide/propose.js";
import { gitRemote } from "../../testing/git.js";
import { goProxy } from "../../testing/go-proxy.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmRegistry } from "../../testing/npm-registry.js";
import { ociRegistry } from "../../testing/oci-registry.js";
import type { LockOutcome, ManagerSettings, Tools } from "../contract.js";
import { runtimes } from "./manager.js";

const withRegistry = needs(test, program("docker-registry"));

type Files = Readonly<Record<string, string>>;

interface Outcome {
  /** The files that change. */
  readonly files: Files;
  readonly lock: LockOutcome;
  /** `node 22.1.0 → 24.2.0` */
  readonly moves: readonly string[];
}

async function updated(files: Files, settings: ManagerSettings, tools: Tools): Promise<Outcome> {
  const sources = repository(files);
  const { dependencies } = runtimes.parse(sources, settings);
  const decisions = await Promise.all(
    dependencies.map((dependency) =>
      propose({
        ...{ manager: runtimes, dependency, runtime: {}, library: false, advisories: [], now: 0 },
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
        lookup: tools.lookup.fresh(),
      }),
    ),
  );
  const updates = decisions.flatMap((one) => (one.kind === "update" ? [one] : []));
  const changes = updates.map(({ change }) => change);
  const edit = await runtimes.update({ sources, settings, changes }, tools);
  return {
    files: Object.fromEntries(edit.files),
    lock: edit.lock,
    moves: updates.map(({ change, from, to }) => `${change.dependency.name} ${from} → ${to}`),
  };
}

/** Settings with the tags of one repository for `name`. */
async function tagged(name: string, tags: readonly string[]) {
  const remote = await gitRemote();
  const commit = await remote.commit("main", "one");
  for (const tag of tags) await remote.tag(tag, commit);
  const settings: ManagerSettings = {
    registries: [{ manager: "runtimes", scope: name, url: `file://${remote.path}` }],
  };
  return { settings, [Symbol.asyncDispose]: () => remote[Symbol.asyncDispose]() };
}

const NODE = ["v20.1.0", "v22.1.0", "v22.9.1", "v23.3.0", "v24.2.0", "v24.0.0-rc.1", "v0.12.7-nw"];

interface Step {
  readonly name: string;
  readonly tags: readonly string[];
  readonly file: string;
  readonly before: string;
  /** Undefined where the file stays. */
  readonly after: string | undefined;
}
const node = (file: string, before: string, after: string | undefined): Step => ({
  ...{ name: "node", tags: NODE, file, before, after },
});
const python = (file: string, before: string, after: string | undefined): Step => ({
  ...{ name: "python", tags: ["v3.11.4", "v3.12.1", "v3.13.0rc1", "2.7"], file, before, after },
});
const steps: readonly Step[] = [
  node(".nvmrc", "v22.1.0\n", "v24.2.0\n"),
  node(".nvmrc", "22", "24"),
  node(".nvmrc", "\n# größer\r\n  22.1 # keep\r\n", "\n# größer\r\n  24.2 # keep\r\n"),
  node(".nvmrc", "lts/*\n", undefined),
  node(".nvmrc", "24\n", undefined),
  node(".node-version", "24.1.9\n", "24.2.0\n"),
  node("a/b/.node-version", "23.0.0\n", "24.2.0\n"),
  node("runtime.txt", "node-22.1.0\n", undefined),
  python(".python-version", "3.11.4\n3.10.2\n", "3.12.1\n3.10.2\n"),
  python(".python-version", "3.11\n", "3.12\n"),
  python(".python-version", "pypy3.9-7.3.11\n3.11.4\n", undefined),
  python("runtime.txt", "python-3.11.4", "python-3.12.1"),
  {
    ...{ name: "ruby", tags: ["v3_3_6", "v3_4_1", "v3_5_0_preview1", "v3.4.2"] },
    ...{ file: ".ruby-version", before: "ruby-3.3.6\n", after: "ruby-3.4.2\n" },
  },
  {
    ...{ name: "rust", tags: ["1.75.0", "1.76.0", "1.77.0-beta.1"], file: "rust-toolchain" },
    ...{ before: "1.75.0\n", after: "1.76.0\n" },
  },
  {
    ...{ name: "dotnet-sdk", tags: ["v8.0.404", "v8.0.417", "v8.0.500", "v9.0.100"] },
    ...{ file: "global.json", before: '{"sdk":{"version":"8.0.404"}}' },
    after: '{"sdk":{"version":"8.0.417"}}',
  },
  {
    ...{ name: "php", tags: ["php-8.3.1", "php-8.4.2", "php-8.4.3RC1"], file: ".tool-versions" },
    ...{ before: "php 8.3.1 8.2.0\n", after: "php 8.4.2 8.2.0\n" },
  },
  {
    ...{ name: "erlang", tags: ["OTP-26.2", "OTP-27.1.2", "OTP-28.0-rc1"], file: "mise.toml" },
    ...{ before: '[tools]\nerlang = "26.2"\n', after: '[tools]\nerlang = "27.1"\n' },
  },
  {
    ...{ name: "bun", tags: ["bun-v1.1.0", "bun-v1.2.0", "canary"], file: ".mise.toml" },
    ...{ before: 'tools.bun = ["1.1.0", "1.0.0"]\n', after: 'tools.bun = ["1.2.0", "1.0.0"]\n' },
  },
];
for (const { name, tags, file, before, after } of steps)
  test(`${file} with ${JSON.stringify(before)} ${after === undefined ? "stays" : `becomes ${JSON.stringify(after)}`}`, async (t) => {
    await using source = await tagged(name, tags);
    await using tools = workshop();
    const { files } = await updated({ [file]: before }, source.settings, tools);
    t.deepEqual(files, after === undefined ? {} : { [file]: after });
  });

withRegistry(
  "all files that name a runtime move together, to a version with all images",
  async (t) => {
    await using registry = await ociRegistry();
    await using source = await tagged("node", NODE);
    await using tools = workshop();
    const slim = await registry.push("library/node", "22.9-slim", "a", ["22", "22.9.1-alpine3.19"]);
    const settings: ManagerSettings = {
      registries: [
        ...source.settings.registries,
        { manager: "docker", url: `http://${registry.host}` },
      ],
    };
    const files = (version: string, digest: string): Files => {
      const minor = version.split(".").slice(0, 2).join(".");
      return {
        ".nvmrc": `v${version}\r\n`,
        "web/package.json": `{ "volta": { "node": "${version}" } }\n`,
        "web/Dockerfile": `ARG NODE=${version}\nFROM node:\${NODE}-alpine3.19 AS a\nFROM node:${minor}-slim@${digest}\n`,
      };
    };
    const old = `sha256:${"0".repeat(64)}`;
    const major = {
      ".tool-versions": "nodejs 22\n",
      "compose.yml": "services: { a: { image: node:22 } }\n",
    };
    const given = { ...files("22.1.0", old), ...major };
    const first = await updated(given, settings, tools);
    t.deepEqual(first.moves, ["node 22.1.0 → 22.9.1"]);
    t.deepEqual(first.files, files("22.9.1", slim));
    const next = await registry.push("library/node", "24.2-slim", "b", ["24", "24.2.0-alpine3.19"]);
    const second = await updated(given, settings, tools);
    t.deepEqual(second.moves, ["node 22.1.0 → 24.2.0"]);
    t.deepEqual(second.files, {
      ...files("24.2.0", next),
      ".tool-versions": "nodejs 24\n",
      "compose.yml": "services: { a: { image: node:24 } }\n",
    });
  },
);

withRegistry("Java stays with long-term support", async (t) => {
  await using registry = await ociRegistry();
  await using tools = workshop();
  const more = [
    "21.0.5_11-jdk",
    "21-jdk",
    "24.0.1_9-jdk",
    "25-jdk",
    "25.0.1_8-jdk",
    "21.0.9_1-jre",
  ];
  await registry.push("library/eclipse-temurin", "21.0.4_7-jdk", "a", more);
  const settings = { registries: [{ manager: "docker", url: `http://${registry.host}` }] };
  const versions: Readonly<Record<string, string>> = {
    ...{ "21": "25", "21.0.4": "25.0.1", "23.0.1": "25.0.1", "24": "25" },
    ...{ "openjdk-21.0": "openjdk-25.0", "25.0.1": "25.0.1" },
  };
  for (const [before, after] of Object.entries(versions)) {
    const { files } = await updated({ ".java-version": before }, settings, tools);
    t.is(files[".java-version"] ?? before, after);
  }
});

test("the toolchain of go.mod moves, its minimum stays", async (t) => {
  await using proxy = await goProxy();
  await using tools = workshop();
  for (const version of ["1.22.1", "1.22.9", "1.23.2", "1.24rc1"])
    for (const platform of ["linux-amd64", "darwin-arm64"])
      proxy.publish("golang.org/toolchain", `v0.0.1-go${version}.${platform}`);
  const settings = { registries: [{ manager: "go_modules", url: proxy.url }] };
  const text = (version: string): string =>
    `module a\n\ngo 1.21.0\n\ntoolchain go${version}\n\nrequire example.test/x v1.0.0\n`;
  const { files, moves } = await updated({ "go.mod": text("1.22.1") }, settings, tools);
  t.deepEqual(files, { "go.mod": text("1.23.2") });
  t.deepEqual(moves, ["go 1.22.1 → 1.23.2"]);
});

const sha512 = (text: Buffer): string => createHash("sha512").update(text).digest("hex");

test("the package manager moves with its checksum", async (t) => {
  await using npm = await npmRegistry({
    yarn: { "1.22.1": {}, "1.22.22": {} },
    "@yarnpkg/cli-dist": { "3.1.0": {}, "4.5.0": {} },
    pnpm: { "9.1.0": {} },
  });
  const packed = Buffer.from("pnpm");
  npm.publishPacked("pnpm", "9.2.0", packed);
  await using tools = workshop();
  const settings = { registries: [{ manager: "npm_and_yarn", url: npm.url }] };
  const values: Readonly<Record<string, string>> = {
    "pnpm@9.1.0": "pnpm@9.2.0",
    [`pnpm@9.1.0+sha512.${"0".repeat(128)}`]: `pnpm@9.2.0+sha512.${sha512(packed)}`,
    [`pnpm@9.1.0+sha224.${"0".repeat(56)}`]: `pnpm@9.2.0+sha512.${sha512(packed)}`,
    "yarn@1.22.1": "yarn@1.22.22",
    "yarn@3.1.0": "yarn@4.5.0",
    "yarn@3.1.0+sha224.00": "yarn@3.1.0+sha224.00",
    "pnpm@https://example.test/pnpm.tgz": "pnpm@https://example.test/pnpm.tgz",
  };
  for (const [before, after] of Object.entries(values)) {
    const text = (value: string): string => `{\n\t"packageManager": "${value}"\n}\n`;
    const { files } = await updated({ "package.json": text(before) }, settings, tools);
    t.is(files["package.json"] ?? text(before), text(after));
  }
});

test("packages that mise installs come from their registries; mise.lock is stale", async (t) => {
  await using npm = await npmRegistry({ "@acme/left": { "1.0.0": {}, "1.4.0": {} } });
  await using tools = workshop();
  const settings = { registries: [{ manager: "npm_and_yarn", url: npm.url }] };
  const text = (version: string): string =>
    `[tools]\n"npm:@acme/left" = { version = "${version}" }\n`;
  const given = { "mise.toml": text("1.0.0") };
  const alone = await updated(given, settings, tools);
  t.deepEqual([alone.files, alone.lock], [{ "mise.toml": text("1.4.0") }, { kind: "absent" }]);
  const { lock } = await updated({ ...given, "mise.lock": "" }, settings, tools);
  t.deepEqual(lock, { kind: "stale", note: "mise.lock is out of date: run `mise lock`." });
});
