/** What branches, titles and commits are called. */
import test from "ava";
import type { Config } from "../../store/tables.js";
import { branchOf, messageOf, type Prefix, titleOf, titlePrefix } from "./naming.js";
import type { Proposal } from "./proposals.js";

const config = (more: Partial<Config> = {}): Config =>
  ({
    package_manager: "npm_and_yarn",
    directory: "/",
    target_branch: "",
    extras: "{}",
    ...more,
  }) as Config;

interface Given {
  readonly name: string;
  readonly from?: string | null;
  readonly to: string;
  readonly development?: boolean;
  readonly requirements?: readonly [from: string, to: string];
}

function proposal(updates: readonly Given[], more: Partial<Proposal> = {}): Proposal {
  return {
    names: updates.map(({ name }) => name).sort(),
    group: undefined,
    security: false,
    updates: updates.map(({ name, from = "1.0.0", to, development = false, requirements }) => ({
      kind: "update",
      change: {
        dependency: {
          name,
          development,
          current: from ?? undefined,
          declarations: [{ requirement: requirements?.[0] ?? "^1.0.0", development }],
        },
        to: { version: to },
        requirements: [requirements?.[1] ?? `^${to}`],
      },
      from: from ?? undefined,
      to,
      semver: "minor",
      inRange: true,
      toPrerelease: false,
      fixes: [],
    })) as unknown as Proposal["updates"],
    ...more,
  };
}

const one = (name: string, to: string): Proposal => proposal([{ name, to }]);
const sha = "0123456789abcdef0123456789abcdef01234567";

const branches: ReadonlyArray<readonly [expected: string, Proposal, Partial<Config>?]> = [
  ["dependabot/npm_and_yarn/foo-1.1.0", one("foo", "1.1.0")],
  ["dependabot/npm_and_yarn/acme/foo-1.1.0", one("@acme/foo", "1.1.0")],
  ["dependabot/npm_and_yarn/app/foo-1.1.0", one("foo", "1.1.0"), { directory: "/app" }],
  ["dependabot/npm_and_yarn/dot-app/foo-1.1.0", one("foo", "1.1.0"), { directory: "/.app" }],
  [
    "dependabot/npm_and_yarn/app/next/foo-1.1.0",
    one("foo", "1.1.0"),
    { directory: "/app", target_branch: "next" },
  ],
  [
    "dependabot/maven/org.acme-foo-1.1.0",
    one("org.acme:foo", "1.1.0"),
    { package_manager: "maven" },
  ],
  [
    "dependabot/github_actions/acme/act-2",
    one("acme/act", "2"),
    { package_manager: "host_actions" },
  ],
  ["dependabot/submodules/lib-0123456", one("lib", sha), { package_manager: "submodules" }],
  [
    "dependabot/npm_and_yarn/a-and-b-1.1.0",
    proposal([
      { name: "a", to: "1.1.0" },
      { name: "b", to: "1.1.0" },
    ]),
  ],
  ...(
    [
      ["^1.0 || ^2.1", "tw-1.0or-tw-2.1"],
      [">= 1.0, < 3", "gte-1.0-and-lt-3"],
      ["~> 2.1", "tw-2.1"],
      ["~2.1.*", "approx-2.1.star"],
      ["==2.1,!=2.2", "eq-2.1-and-neq-2.2"],
    ] as const
  ).map(
    ([to, end]) =>
      [
        `dependabot/npm_and_yarn/foo-${end}`,
        proposal([{ name: "foo", from: null, to: "2.1.0", requirements: ["^1.0", to] }]),
      ] as const,
  ),
  [
    "dependabot-npm_and_yarn-app-acme-foo-1.1.0",
    one("@acme/foo", "1.1.0"),
    { directory: "/app", extras: JSON.stringify({ branchSeparator: "-" }) },
  ],
];
for (const [expected, given, more] of branches)
  test(`the branch ${expected}`, (t) => t.is(branchOf(config(more), given), expected));

test("the branch name of a group depends on the group's updates", (t) => {
  const group = (to: string): string =>
    branchOf(config(), proposal([{ name: "a", to }], { group: "all" }));
  t.regex(group("1.1.0"), /^dependabot\/npm_and_yarn\/all-[0-9a-f]{10}$/);
  t.not(group("1.1.0"), group("1.2.0"));
});

const none: Prefix = { text: "", small: false };
const titles: ReadonlyArray<
  readonly [expected: string, Proposal, more?: Partial<Config>, prefix?: Prefix]
> = [
  ["Bump foo from 1.0.0 to 1.1.0", one("foo", "1.1.0")],
  ["Bump foo from 1.0.0 to 1.1.0 in /app", one("foo", "1.1.0"), { directory: "/app" }],
  ["Bump lib from 1.0.0 to 0123456", one("lib", sha)],
  [
    "Update foo requirement from ^1.0.0 to ^2.0.0",
    proposal([{ name: "foo", from: null, to: "2.0.0" }]),
  ],
  [
    "Bump act to v2.0.0",
    proposal([{ name: "act", from: null, to: "v2.0.0", requirements: [sha, `${sha.slice(1)}0`] }]),
  ],
  ["[Security] Bump foo from 1.0.0 to 1.1.0", { ...one("foo", "1.1.0"), security: true }],
  ["Bump a, b and c", proposal(["c", "a", "b"].map((name) => ({ name, to: "1.1.0" })))],
  [
    "Bump the all group in /app with 1 update",
    proposal([{ name: "a", to: "1.1.0" }], { group: "all" }),
    { directory: "/app" },
  ],
  [
    "build(deps): bump foo from 1.0.0 to 1.1.0",
    one("foo", "1.1.0"),
    {},
    { text: "build(deps): ", small: true },
  ],
];
for (const [expected, given, more = {}, prefix = none] of titles)
  test(`the title ${expected}`, (t) => t.is(titleOf(config(more), given, prefix), expected));

const prefixes: ReadonlyArray<
  readonly [
    what: string,
    subjects: readonly string[],
    own: Parameters<typeof titlePrefix>[1],
    development: boolean,
    expected: string,
  ]
> = [
  ["nothing in particular", ["Add a page", "Mend it"], {}, false, ""],
  ["a young repository", [], {}, false, ""],
  ["conventional commits", ["feat: a", "fix(b): c", "Odd one"], {}, false, "chore(deps): "],
  ["conventional builds", ["build: a", "build(x): c"], {}, true, "build(deps-dev): "],
  ["gitmoji", ["✨ a", ":bug: b", "other"], {}, false, "⬆️ "],
  ["eslint's", ["Fix: a", "New: b", "other"], {}, false, "Upgrade: "],
  ["what the config says", ["feat: a"], { prefix: "deps" }, false, "deps: "],
  ["with a scope", [], { prefix: "fix", scope: true }, true, "fix(deps-dev): "],
  ["that ends by itself", [], { prefix: "[deps]:" }, false, "[deps]: "],
  ["none, as the config says", ["feat: a"], { prefix: "" }, false, ""],
];
for (const [what, subjects, own, development, expected] of prefixes)
  test(`the prefix: ${what}`, (t) => t.is(titlePrefix(subjects, own, development).text, expected));

test("a commit message ends with a block for tools, and its subject is short", (t) => {
  const name = "a-package-with-a-name-that-goes-on-and-on-and-on";
  const given = proposal([{ name, to: "1.1.0", development: true }], { group: "all" });
  const [subject, , ...rest] = messageOf(config(), given, `Bump ${name} from 1.0.0 to 1.1.0`).split(
    "\n",
  );
  t.is(subject, `Bump ${name} to 1.1.0`);
  const text = rest.join("\n");
  t.regex(
    text,
    /\n---\nupdated-dependencies:\n- dependency-name: a-package[\w-]+\n {2}dependency-version: "1\.1\.0"\n {2}dependency-type: direct:development\n {2}update-type: version-update:semver-minor\n {2}dependency-group: all\n\.\.\.\n/,
  );
});
