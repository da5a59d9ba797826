/** Versions in any file: what patterns find, and what an edit changes. */
import test from "ava";
import { propose } from "../../decide/propose.js";
import { gitRemote } from "../../testing/git.js";
import { asWanted, repository, workshop } from "../../testing/manager-fixture.js";
import { npmRegistry } from "../../testing/npm-registry.js";
import type { FilePattern, ManagerSettings } from "../contract.js";
import { patterns } from "./manager.js";

const pattern = (more: Partial<FilePattern>, ...match: readonly string[]): FilePattern => ({
  ...{ name: "tools", files: ["**/*"], strategy: "any", source: undefined, package: undefined },
  match: match.map((source) => ({ source, flags: "m" })),
  ...more,
});
const settingsOf = (...all: readonly FilePattern[]): ManagerSettings => ({
  registries: [],
  patterns: all,
});
const comment = pattern(
  {},
  String.raw`renovate: datasource=(?<source>\S+) depName=(?<name>\S+)\s+(?:ARG|ENV|export )? ?\w+ ?[:?]?[=:] ?["']?(?<version>[^\s"']+)`,
);

const rows: ReadonlyArray<
  readonly [what: string, file: string, text: string, used: FilePattern, found: string]
> = [
  [
    "a Dockerfile",
    "app/Dockerfile",
    "FROM scratch\n# renovate: datasource=npm depName=left\nARG LEFT_VERSION=1.0.0\n",
    comment,
    "left 1.0.0",
  ],
  [
    "a Makefile with CRLF",
    "Makefile",
    "# größer 🎉\r\n# renovate: datasource=github-tags depName=acme/tool\r\nTOOL := v1.2.3\r\n",
    comment,
    "acme/tool v1.2.3",
  ],
  [
    "a shell script with a byte order mark",
    "run.sh",
    "\uFEFF# renovate: datasource=pypi depName=Left_Pad\nexport LEFT='2.0'\n",
    comment,
    "left-pad 2.0",
  ],
  [
    "a CI file",
    "ci.yml",
    "variables:\n  # renovate: datasource=docker depName=ghcr.io/acme/app\n  APP: 3.1\n",
    comment,
    "ghcr.io/acme/app 3.1",
  ],
  [
    "Renovate's names of groups",
    "a.txt",
    "npm|left|1.0.0",
    pattern({}, String.raw`(?<datasource>\w+)\|(?<depName>\w+)\|(?<currentValue>\S+)`),
    "left 1.0.0",
  ],
  [
    "a source and package of the block",
    "a.txt",
    "A=1.0.0 B=2.0.0",
    pattern({ source: "npm", package: "left" }, String.raw`\b[AB]=(?P<version>\S+)`),
    "left 1.0.0, left 2.0.0",
  ],
  [
    "tags without a package",
    "a.txt",
    "v=1.0.0",
    pattern({ source: "tags:https://git.example.test/a.git" }, String.raw`v=(?<version>\S+)`),
    "https://git.example.test/a 1.0.0",
  ],
  [
    "recursive",
    "a.txt",
    "other: left@1.0.0\ntools: [left@1.1.0, right@2.0.0]\n",
    pattern(
      { strategy: "recursive", source: "npm" },
      String.raw`^tools: \[.*\]`,
      String.raw`(?<name>\w+)@(?<version>[\d.]+)`,
    ),
    "left 1.1.0, right 2.0.0",
  ],
  [
    "combination",
    "a.txt",
    "version = 1.0.0\nname = left\n",
    pattern(
      { strategy: "combination", source: "npm" },
      String.raw`^name = (?<name>\w+)`,
      String.raw`^version = (?<version>\S+)`,
    ),
    "left 1.0.0",
  ],
  [
    "a combination of which a part is missing",
    "a.txt",
    "version = 1.0.0\n",
    pattern(
      { strategy: "combination", source: "npm" },
      String.raw`^name = (?<name>\w+)`,
      String.raw`^version = (?<version>\S+)`,
    ),
    "",
  ],
];
for (const [what, file, text, used, found] of rows)
  test(`found: ${what}`, (t) => {
    const settings = settingsOf(used);
    const sources = repository({ [file]: text });
    t.deepEqual(patterns.filesToRead(sources, settings), [file]);
    const { dependencies, broken } = patterns.parse(sources, settings);
    t.deepEqual(broken, []);
    const shown = dependencies.map(({ name, current }) => `${name} ${current}`);
    t.is(shown.join(", "), found);
    for (const { declarations, origin, current } of dependencies) {
      t.not(origin.kind, "none");
      for (const { range } of declarations)
        t.is(text.slice(range.start, range.end), String(current));
    }
  });

const sourceNames: ReadonlyArray<readonly [source: string, name: string, host: string]> = [
  ["npm", "@acme/left", "registry.npmjs.org"],
  ["pypi", "left", "pypi.org"],
  ["docker", "node", "registry-1.docker.io"],
  ["crate", "left", "index.crates.io"],
  ["rubygems", "left", "rubygems.org"],
  ["packagist", "acme/left", "repo.packagist.org"],
  ["go", "example.test/left", "proxy.golang.org"],
  ["maven", "acme:left", "repo.maven.apache.org"],
  ["nuget", "Left", "api.nuget.org"],
  ["github-releases", "acme/left", "github.com"],
  ["gitlab-tags", "acme/group/left", "gitlab.com"],
  ["git-tags", "https://git.example.test/left", "git.example.test"],
  ["tags:https://git.example.test/left.git", "", "git.example.test"],
];
for (const [source, name, host] of sourceNames)
  test(`versions of ${source} come from ${host}`, (t) => {
    const used = pattern({ source, package: name }, "v=(?<version>.+)");
    const sources = repository({ a: "v=1.2.3" });
    const [dependency] = patterns.parse(sources, settingsOf(used)).dependencies;
    const origin = dependency?.origin;
    t.is(origin && "url" in origin ? new URL(origin.url).hostname : String(origin?.why), host);
  });

const refused: ReadonlyArray<readonly [what: string, text: string, why: string]> = [
  ["an unknown source", "apt|left|1.0.0|", "apt is no source of versions."],
  ["a command as a repository", "tags:ext::sh|a|1.0.0|", "tags:ext::sh is no source of versions."],
  ["a name with a quote", 'npm|a"b|1.0.0|', 'a"b is no name of a package.'],
  ["no version", "npm|left|latest|", "latest of left is no version that can be compared."],
  ["a digest", "docker|left|1.0|sha256:ab", "left has a digest, which patterns do not move."],
];
for (const [what, text, why] of refused)
  test(`stays: ${what}`, (t) => {
    const used = pattern(
      {},
      String.raw`(?<source>[^|]+)\|(?<name>[^|]+)\|(?<version>[^|]+)\|(?<digest>sha\S+)?`,
    );
    const [dependency] = patterns.parse(repository({ a: text }), settingsOf(used)).dependencies;
    t.deepEqual(dependency?.origin, { kind: "none", why });
  });

test("only files of the directory that a glob matches are read", (t) => {
  const used = pattern({ files: ["Makefile", "ci/**/*.{yml,yaml}"] }, "(?<version>x)");
  const files = { Makefile: "", "app/Makefile": "", "app/ci/a/b.yml": "", "app/x/Makefile": "" };
  const sources = repository(files, { directory: "/app" });
  t.deepEqual(patterns.filesToRead(sources, settingsOf(used)), ["app/Makefile", "app/ci/a/b.yml"]);
  t.deepEqual(patterns.filesToRead(sources), []);
});

test("a version that two patterns find is an error of its file, and other files are read", (t) => {
  const one = pattern({ source: "npm", package: "left" }, String.raw`v=(?<version>\S+)`);
  const two = pattern(
    { name: "more", files: ["a"], source: "npm", package: "right" },
    "=1(?<version>.*)",
  );
  const sources = repository({ a: "# first\nv=1.0.0\n", b: "v=1.0.0\n" });
  const { broken, dependencies } = patterns.parse(sources, settingsOf(one, two));
  t.deepEqual(broken, [
    { file: "a", why: "a:2: the version .0.0 is found twice, by tools and more." },
  ]);
  t.deepEqual(
    dependencies.flatMap(({ declarations }) => declarations.map(({ file }) => file)),
    ["b"],
  );
});

test("the newest release of each source is written, and nothing else changes", async (t) => {
  await using npm = await npmRegistry({
    left: { "1.0.0": {}, "1.5.0": {}, "2.0.0-rc.1": {} },
  });
  await using remote = await gitRemote();
  const commit = await remote.commit("main", "one");
  for (const tag of ["v1.2.3", "v1.10.0", "v2", "other-3.0.0"]) await remote.tag(tag, commit);
  await using tools = workshop();
  const settings: ManagerSettings = {
    registries: [{ manager: "npm_and_yarn", url: npm.url }],
    patterns: [comment],
  };
  const text = (left: string, tool: string, marked: string): string =>
    `# größer 🎉\r\n# renovate: datasource=npm depName=left\r\nARG LEFT=${left}\r\n# renovate: datasource=tags:file://${remote.path} depName=tool\r\nENV TOOL="${tool}"\r\n# renovate: datasource=tags:file://${remote.path} depName=marked\r\nENV MARKED=${marked}`;
  const sources = asWanted(
    { filesToRead: (each) => patterns.filesToRead(each, settings) },
    repository({ Dockerfile: text("1.0.0", "1.2.3", "v1.2.3") }),
  );
  const { dependencies } = patterns.parse(sources, settings);
  const decisions = await Promise.all(
    dependencies.map((dependency) =>
      propose({
        ...{ manager: patterns, dependency, runtime: {}, library: false, advisories: [] },
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
        ...{ lookup: tools.lookup, now: 0 },
      }),
    ),
  );
  const changes = decisions.flatMap((each) => (each.kind === "update" ? [each.change] : []));
  const edit = await patterns.update({ sources, settings, changes }, tools);
  t.deepEqual([...edit.files], [["Dockerfile", text("1.5.0", "1.10.0", "v1.10.0")]]);
});

test("an edit after which a pattern matches less often is refused", async (t) => {
  await using tools = workshop();
  const settings = settingsOf(
    pattern({ source: "npm", package: "left" }, String.raw`v=(?<version>1\.\S+)`),
  );
  const sources = repository({ a: "v=1.0.0" });
  const [dependency] = patterns.parse(sources, settings).dependencies;
  if (!dependency) return t.fail();
  const changes = [{ dependency, to: { version: "2.0.0" }, requirements: ["2.0.0"] }];
  await t.throwsAsync(patterns.update({ sources, settings, changes }, tools), {
    message: "The patterns find 0 instead of 1 versions in a after the update.",
  });
});
