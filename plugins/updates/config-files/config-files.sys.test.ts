/** Config files of both versions: what they mean, and what they do to a repository. */
import test from "ava";
import { updatesFixture } from "../testing/fixture.js";
import { readConfigFile } from "./read.js";

test("version 1", async (t) => {
  const { configs, faults } = await readConfigFile(`version: 1
update_configs:
  - package_manager: "javascript"
    directory: "/"
    update_schedule: "live"
    target_branch: next
    default_labels: [deps]
    allowed_updates:
      - match: { dependency_type: "production" }
    ignored_updates:
      - match: { dependency_name: "left-*", version_requirement: "9.x" }
    automerged_updates:
      - match: { dependency_type: "development", update_type: "all" }
      - match: { dependency_type: "production", update_type: "semver:minor" }
      - match: { dependency_name: "left-foo", update_type: "in_range" }
    version_requirement_updates: widen_ranges
    commit_message: { prefix: "fix", include_scope: true }
`);
  t.deepEqual(faults, []);
  t.deepEqual(configs, [
    {
      packageManager: "npm_and_yarn",
      directory: "/",
      schedule: "live",
      targetBranch: "next",
      automergeRuntime: "semver:minor",
      automergeDevelopment: "all",
      extras: {
        labels: ["deps"],
        requirementsUpdateStrategy: "widen_ranges",
        ignore: [{ dependency: "left-*", versions: ["9.x"] }],
        allow: [{ type: "production" }],
        automerged: [{ dependency: "left-foo", type: "all", rule: "in_range" }],
        commitPrefix: "fix",
        commitScope: true,
      },
    },
  ]);
});

test("version 2", async (t) => {
  const { configs, faults } = await readConfigFile(`version: 2
updates:
  - package-ecosystem: npm
    directories: ["/", "/app/"]
    schedule: { interval: weekly, day: friday, time: "5:30", timezone: Europe/Berlin }
    open-pull-requests-limit: 3
    versioning-strategy: increase
    ignore:
      - dependency-name: "left-foo"
        update-types: ["version-update:semver-major"]
    groups:
      all-patches: { patterns: ["*"], update-types: [patch] }
    cooldown: { default-days: 5 }
  - package-ecosystem: github-actions
    directory: /
    schedule: { interval: daily }
`);
  t.deepEqual(faults, []);
  t.deepEqual(
    configs.map(({ packageManager, directory, schedule }) => [packageManager, directory, schedule]),
    [
      ["npm_and_yarn", "/", "weekly"],
      ["npm_and_yarn", "/app", "weekly"],
      ["host_actions", "/", "daily"],
    ],
  );
  t.deepEqual(configs[0]?.extras, {
    requirementsUpdateStrategy: "bump_versions",
    openPullRequestsLimit: 3,
    ignore: [{ dependency: "left-foo", changes: ["major"] }],
    groups: [{ name: "all-patches", patterns: ["*"], changes: ["patch"] }],
    cooldownDays: 5,
    time: "05:30",
    day: "friday",
    timeZone: "Europe/Berlin",
  });
});

test("version 2: rare attributes", async (t) => {
  const { configs, faults } = await readConfigFile(`version: 2
updates:
  - package-ecosystem: npm
    directory: /
    schedule: { interval: cron, cronjob: "30 4 * * 1-5", timezone: Asia/Tokyo }
    rebase-strategy: disabled
    pull-request-branch-name: { separator: "-" }
    commit-message: { prefix: fix, prefix-development: chore, include: scope }
    target-branch: next
    allow:
      - dependency-name: "left-*"
      - dependency-type: production
    cooldown: { default-days: 2, semver-major-days: 30, semver-patch-days: 0, include: ["*"], exclude: [acme-*] }
  - package-ecosystem: docker
    directory: /
    schedule: { interval: quarterly, time: "16:05" }
    registries: [ours]
    labels: []
`);
  t.deepEqual(faults, [
    "Entry 2: registries are set in the daemon's configuration, not in this file.",
  ]);
  t.is(configs[0]?.targetBranch, "next");
  t.deepEqual(configs[0]?.extras, {
    commitPrefix: "fix",
    commitPrefixDevelopment: "chore",
    commitScope: true,
    allow: [{ dependency: "left-*" }, { type: "production" }],
    cooldownDays: 2,
    cooldown: { changes: { major: 30, patch: 0 }, include: ["*"], exclude: ["acme-*"] },
    rebase: false,
    branchSeparator: "-",
    cron: "30 4 * * 1-5",
    timeZone: "Asia/Tokyo",
  });
  t.is(configs[1]?.schedule, "monthly");
  t.deepEqual(configs[1]?.extras, { labels: [], time: "16:05", cron: "5 16 1 1,4,7,10 *" });
});

const version2 = (keys: string, top = ""): string =>
  `version: 2\n${top}updates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: weekly }\n${keys}`;

const named: ReadonlyArray<readonly [key: string, text: string, fault: string]> = [
  ["assignees", "    assignees: [ada]\n", "assignees has no effect: "],
  ["reviewers", "    reviewers: [ada]\n", "reviewers has no effect: "],
  ["milestone", "    milestone: 4\n", "milestone has no effect: "],
  ["vendor", "    vendor: true\n", "vendor has no effect: "],
  ["exclude-paths", '    exclude-paths: ["x/**"]\n', "exclude-paths has no effect: "],
  [
    "insecure-external-code-execution",
    "    insecure-external-code-execution: allow\n",
    "insecure-external-code-execution has no effect: ",
  ],
  [
    "multi-ecosystem-group",
    "    multi-ecosystem-group: all\n",
    "multi-ecosystem-group has no effect: ",
  ],
  ["patterns", '    patterns: ["*"]\n', "patterns has no effect: "],
  [
    "group-by",
    "    groups: { all: { group-by: dependency-name } }\n",
    "groups: group-by has no effect: ",
  ],
  ["update-types", "    allow: [{ update-types: [all] }]\n", "allow: update-types has no effect: "],
  ["a misspelt key", "    lables: []\n", "lables is no key of version 2."],
  [
    "a misspelt nested key",
    "    cooldown: { days: 5 }\n",
    "cooldown: days is no key of version 2.",
  ],
  ["a wrong word", "    versioning-strategy: newest\n", "versioning-strategy must be one of "],
  [
    "a wrong separator",
    '    pull-request-branch-name: { separator: "." }\n',
    "pull-request-branch-name.separator must be ",
  ],
];
for (const [what, keys, fault] of named)
  test(`version 2: ${what} is named in a fault, and the rest counts`, async (t) => {
    const { configs, faults } = await readConfigFile(version2(keys));
    t.is(configs.length, 1);
    t.is(faults.length, 1);
    t.true(faults[0]?.startsWith(`Entry 1: ${fault}`), faults[0]);
  });

test("version 2: keys of the whole file, a day and a time that do not exist", async (t) => {
  const top = "enable-beta-ecosystems: true\nmulti-ecosystem-groups: {}\nregistries: {}\n";
  t.deepEqual((await readConfigFile(version2("", top))).faults, [
    "enable-beta-ecosystems has no effect: every supported package manager is enabled.",
    "multi-ecosystem-groups has no effect: each package manager has its own pull requests.",
    "registries are set in the daemon's configuration, not in this file.",
  ]);
  const text = version2("").replace("weekly", "weekly, day: noday, time: '25:00'");
  const { configs, faults } = await readConfigFile(text);
  t.deepEqual(faults, [
    "Entry 1: schedule.day must be one of monday, tuesday, wednesday, thursday, friday, saturday, sunday, not noday.",
    'Entry 1: schedule.time must be a time such as "05:30", not 25:00.',
  ]);
  t.deepEqual(configs[0]?.extras, {});
});

test("version 2: daily is from Monday to Friday", async (t) => {
  const { configs } = await readConfigFile(version2("").replace("weekly", "daily"));
  t.deepEqual(configs[0]?.extras, { weekdays: true });
});

const files = [
  ...["package.json", "packages/b/package.json", "packages/a/package.json", "packages/a/x/y.txt"],
  ...["packages/a/deep/package.json", "packages/docs/README.md", "packages/rust/Cargo.toml"],
];
const patterns: ReadonlyArray<readonly [manager: string, of: string, directories: string[]]> = [
  ["npm", '["/packages/*"]', ["/packages/a", "/packages/b"]],
  ["npm", '["packages/*/"]', ["/packages/a", "/packages/b"]],
  ["npm", '["/packages/**"]', ["/packages/a", "/packages/a/deep", "/packages/b"]],
  ["npm", '["/", "/packages/b", "/packages/*"]', ["/", "/packages/b", "/packages/a"]],
  ["npm", '["/pack*/a"]', ["/packages/a"]],
  ["cargo", '["/packages/*"]', ["/packages/rust"]],
];
for (const [manager, of, directories] of patterns) {
  test(`version 2: ${of} are the directories with a manifest of ${manager}`, async (t) => {
    const text = `version: 2\nupdates:\n  - { package-ecosystem: ${manager}, directories: ${of} }\n`;
    const { configs, faults } = await readConfigFile(text, files);
    t.deepEqual(faults, []);
    t.deepEqual(
      configs.map(({ directory }) => directory),
      directories,
    );
  });
}

const faulty: ReadonlyArray<readonly [title: string, text: string, fault: RegExp]> = [
  ["no YAML", "version: [", /not valid YAML/],
  ["no version", "updates: []", /version: 1/],
  ["nothing in it", "version: 2", /no list of updates/],
  [
    "an unknown manager",
    "version: 2\nupdates:\n  - package-ecosystem: apt\n",
    /Entry 1: there is no package manager apt/,
  ],
  [
    "an unknown interval",
    "version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: hourly }\n",
    /not hourly/,
  ],
  [
    "an invalid cron job",
    "version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: cron, cronjob: '99 * * * *' }\n",
    /Entry 1: schedule\.cronjob 99 \* \* \* \* cannot be read: /,
  ],
  [
    "a cron job of one word",
    "version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: cron, cronjob: noon }\n",
    /five fields/,
  ],
  [
    "a missing cron job",
    "version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: cron }\n",
    /needs a cronjob/,
  ],
  [
    "an unknown time zone",
    "version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: daily, timezone: Mars/Olympus }\n",
    /not Mars\/Olympus/,
  ],
  [
    "a pattern without a match",
    'version: 2\nupdates:\n  - { package-ecosystem: npm, directories: ["/apps/*"] }\n',
    /Entry 1: no directory like \/apps\/\* has a manifest of npm_and_yarn/,
  ],
  ["an entry that is a text", "version: 1\nupdate_configs: [npm]", /not a mapping/],
];

for (const [title, text, fault] of faulty) {
  test(`a fault is reported: ${title}`, async (t) => {
    const { configs, faults } = await readConfigFile(text);
    t.deepEqual(configs, []);
    t.regex(faults.join(" "), fault);
  });
}

test("a pushed file configures its repository until it is removed", async (t) => {
  const at = await updatesFixture(t);
  const file = ".github/dependabot.yml";
  const repo = await at.repo("site", {
    "package.json": '{ "name": "site" }\n',
    [file]:
      "version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: daily }\n",
  });
  const active = async () => {
    const answer = await at.send(
      "GET",
      "/repos?account-id=1&account-type=org&installation-state=active",
    );
    t.is(answer.status, 200, answer.text);
    return answer.json;
  };
  await at.plugin.until(async () => (await active()).included.length === 1, "the config");
  const { data, included } = await active();
  t.is(data[0].attributes["using-config-file"], true);
  t.like(included[0].attributes, { "update-schedule": "daily", directory: "/" });
  const refused = await at.send("PATCH", `/update_configs/${included[0].id}`, {
    "update-schedule": "live",
  });
  t.is(refused.status, 409);
  t.regex(refused.text, /dependabot\.yml/);
  await repo.git("rm", "--quiet", file);
  await repo.push({}, "by hand again");
  await at.plugin.until(async () => (await active()).data.length === 0, "the config to go");
});

test("a new directory that matches a pattern is configured with the push that adds it", async (t) => {
  const at = await updatesFixture(t);
  const repo = await at.repo("site", {
    "packages/a/package.json": '{ "name": "a" }\n',
    ".github/dependabot.yml":
      'version: 2\nupdates:\n  - package-ecosystem: npm\n    directories: ["/packages/*"]\n',
  });
  const address = "/repos?account-id=1&account-type=org&installation-state=active";
  const directories = async (): Promise<readonly string[]> =>
    (await at.send("GET", address)).json.included
      .map((each: { attributes: { directory: string } }) => each.attributes.directory)
      .sort();
  await at.plugin.until(async () => (await directories()).length === 1, "the first config");
  await repo.push({ "packages/b/package.json": '{ "name": "b" }\n' });
  await at.plugin.until(async () => (await directories()).length === 2, "the second config");
  t.deepEqual(await directories(), ["/packages/a", "/packages/b"]);
});
