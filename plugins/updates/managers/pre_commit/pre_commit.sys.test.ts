/** `.pre-commit-config.yaml`, against real git repositories and a registry of packages. */
import test from "ava";
import { propose } from "../../decide/propose.js";
import { gitRemote } from "../../testing/git.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { npmRegistry } from "../../testing/npm-registry.js";
import type { ManagerSettings, ProjectSources, Tools } from "../contract.js";
import { preCommit } from "./manager.js";

const FILE = ".pre-commit-config.yaml";
const none: ManagerSettings = { registries: [] };
const SHA = "8e5e7e5ab8b370d6c329ec480221332ada57f0ab";

async function updated(
  sources: ProjectSources,
  tools: Tools,
  settings = none,
): Promise<string | undefined> {
  const { dependencies } = preCommit.parse(sources, settings);
  const decisions = await Promise.all(
    dependencies.map((dependency) =>
      propose({
        ...{ manager: preCommit, dependency, runtime: {}, library: false, advisories: [], now: 0 },
        policy: { lockfileOnly: false, securityOnly: false, ignore: [] },
        lookup: tools.lookup.fresh(),
      }),
    ),
  );
  const changes = decisions.flatMap((one) => (one.kind === "update" ? [one.change] : []));
  const edit = await preCommit.update({ sources, settings, changes }, tools);
  return edit.files.get(FILE);
}

test("tags stay tags, frozen commits move with their comments", async (t) => {
  await using remote = await gitRemote();
  await using tools = workshop();
  const one = await remote.commit("main", "one");
  const two = await remote.commit("main", "two");
  await remote.tag("v1.0.0", one, true);
  await remote.tag("v1.2.0", two, true);
  await remote.tag("v2.0.0-rc1", two);
  const url = `file://${remote.path}`;
  const text = (tag: string, commit: string): string =>
    `repos:\n- repo: ${url}\n  rev: ${tag} # a\n  hooks: []\n- repo: ${url}\n  rev: ${commit}  # frozen: ${tag}\n  hooks: []\n- repo: ${url}\n  rev: "${commit}"\n  hooks: []\n- repo: ${url}\n  rev: main\n`;
  t.is(await updated(repository({ [FILE]: text("v1.0.0", one) }), tools), text("v1.2.0", two));
  t.is(await updated(repository({ [FILE]: text("v1.2.0", two) }), tools), undefined);
});

test("exact versions of packages move, ranges stay", async (t) => {
  await using npm = await npmRegistry({ left: { "1.0.0": {}, "1.4.0": {}, "2.0.0-rc.1": {} } });
  await using tools = workshop();
  const settings = { registries: [{ manager: "npm_and_yarn", url: npm.url }] };
  const text = (version: string): string =>
    `repos:\n- repo: local\n  hooks:\n  - id: a\n    language: node\n    additional_dependencies: [left@${version}, "left@^1.0.0", "./x"]\n  - id: b\n    language: node\n    additional_dependencies: ['left@${version}']\n`;
  t.is(await updated(repository({ [FILE]: text("1.0.0") }), tools, settings), text("1.4.0"));
});

interface Found {
  readonly repos: string;
  /** `name@current`, or the reason for no source. */
  readonly found: readonly string[];
}
const hook = (list: string, language = ""): string =>
  `- repo: local\n  hooks: [{ id: a, ${language === "" ? "" : `language: ${language}, `}additional_dependencies: ${list} }]\n`;
const forms: Readonly<Record<string, Found>> = {
  "the address without .git": {
    repos: "- { repo: https://github.com/psf/black.git, rev: 23.1.0 }\n",
    found: ["https://github.com/psf/black@23.1.0"],
  },
  "an address for ssh": {
    repos: "- { repo: git@github.com:psf/black, rev: 23.1.0 }\n",
    found: ["https://github.com/psf/black@23.1.0"],
  },
  "an address with a login, which is not shown": {
    repos: "- { repo: https://a:b@host.example/x/y, rev: v1 }\n",
    found: ["https://host.example/x/y@v1"],
  },
  "a revision that reads as a number": {
    repos: "- { repo: https://h.example/a/b, rev: 1.10 }\n",
    found: ["https://h.example/a/b@1.10"],
  },
  "the key of old versions": {
    repos: "- { repo: https://h.example/a/b, sha: v1.0.0 }\n",
    found: ["https://h.example/a/b@v1.0.0"],
  },
  "a commit without a comment": {
    repos: `- repo: https://h.example/a/b\n  rev: ${SHA}\n`,
    found: ["https://h.example/a/b@undefined"],
  },
  "a branch": {
    repos: "- { repo: https://h.example/a/b, rev: main }\n",
    found: ["https://h.example/a/b follows the branch main."],
  },
  "a local path": {
    repos: "- { repo: ../hooks, rev: v1.0.0 }\n",
    found: ["../hooks is a local path."],
  },
  "hooks of the repository and of pre-commit": {
    repos: "- { repo: local, hooks: [] }\n- { repo: meta, hooks: [] }\n",
    found: [],
  },
  "packages of Python by their form": {
    repos: hook("['Black[jupyter,d]==22.1.0', 'mypy>=1', 'a == 1']"),
    found: ["black@22.1.0"],
  },
  "packages of Node by their form": {
    repos: hook("['@acme/x@1.2.3', 'y@^2', 'example.test/tool@v1.0.0']"),
    found: ["@acme/x@1.2.3"],
  },
  "packages of Ruby, whose form is not theirs alone": {
    repos: hook("['rubocop:1.2.3']") + hook("['rubocop:1.2.3']", "ruby"),
    found: ["rubocop@1.2.3"],
  },
  "packages of Rust, for the hook and for the command line": {
    repos: hook("['cli:taplo-cli:0.8.1', 'serde:1.0.1']", "rust"),
    found: ["taplo-cli@0.8.1", "serde@1.0.1"],
  },
  "a package in the form of another language": {
    repos: hook("['left@1.0.0']", "python"),
    found: [],
  },
};
for (const [what, { repos, found }] of Object.entries(forms))
  test(`pre-commit: ${what}`, (t) => {
    for (const text of [`repos:\n${repos}`, repos]) {
      const parsed = preCommit.parse(repository({ [FILE]: text }), none);
      t.deepEqual(
        parsed.dependencies.map(({ origin, name, current }) =>
          origin.kind === "none" ? origin.why : `${name}@${current}`,
        ),
        [...found],
      );
      t.deepEqual(parsed.broken, []);
    }
  });

const broken: ReadonlyArray<readonly [what: string, text: string, why: string]> = [
  ["no YAML", "repos: [", `${FILE}:1 is not YAML: Flow sequence in block collection`],
  ["no list", "repos: 1\n", `${FILE} has no list of repositories in \`repos\`.`],
  ["nothing", "", `${FILE} has no list of repositories in \`repos\`.`],
];
for (const [what, text, why] of broken)
  test(`pre-commit: a file with ${what} is reported in one sentence`, (t) => {
    const parsed = preCommit.parse(repository({ [FILE]: text }), none);
    t.deepEqual(parsed.dependencies, []);
    t.is(parsed.broken.length, 1);
    t.true(parsed.broken[0]?.why.startsWith(why), parsed.broken[0]?.why);
  });

test("pre-commit: announced addresses are the names of dependencies", (t) => {
  for (const written of ["https://github.com/psf/black.git", " git@github.com:psf/black "])
    t.is(preCommit.normalize(written), "https://github.com/psf/black");
  t.is(preCommit.normalize("black"), "black");
});
