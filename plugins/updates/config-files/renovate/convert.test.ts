/** Renovate's configuration: what is converted, what is reported, and text of every kind. */
import test from "ava";
import { parse } from "yaml";
import { UpdatesError } from "../../errors.js";
import { readConfigFile } from "../read.js";
import { convertRenovate } from "./convert.js";
import { presetNames, presetOf } from "./presets.js";

const convert = (value: unknown, file = "renovate.json") =>
  convertRenovate({
    ...{ file, account: "acme", managers: ["npm_and_yarn", "docker"] },
    text: typeof value === "string" ? value : JSON.stringify(value, undefined, 2),
  });

// biome-ignore lint/suspicious/noExplicitAny: entries of any shape.
const entries = (value: unknown): any[] => parse(convert(value).repository).updates;

/** Of the first entry, for npm. */
type Row = readonly [what: string, options: object, expected: object];
const hourly = { interval: "cron", cronjob: "0 * * * *" };
const rule = (matches: object, actions: object): object => ({
  packageRules: [{ ...matches, ...actions }],
});
const rows: readonly Row[] = [
  ["nothing", {}, { "package-ecosystem": "npm_and_yarn", directory: "/", schedule: hourly }],
  ["labels", { labels: ["a"], addLabels: ["b", "a"] }, { labels: ["a", "b"] }],
  ["ignoreDeps", { ignoreDeps: ["a"] }, { ignore: [{ "dependency-name": "a" }] }],
  ["prConcurrentLimit", { prConcurrentLimit: 3 }, { "open-pull-requests-limit": 3 }],
  ["no limit", { prConcurrentLimit: 0 }, { "open-pull-requests-limit": 1000 }],
  ["branchConcurrentLimit", { branchConcurrentLimit: 7 }, { "open-pull-requests-limit": 7 }],
  ["rangeStrategy", { rangeStrategy: "bump" }, { "versioning-strategy": "increase" }],
  ["rebaseWhen", { rebaseWhen: "never" }, { "rebase-strategy": "disabled" }],
  ["minimumReleaseAge", { minimumReleaseAge: "2 weeks" }, { cooldown: { "default-days": 14 } }],
  ["stabilityDays", { stabilityDays: 3 }, { cooldown: { "default-days": 3 } }],
  [
    "includePaths",
    { includePaths: ["packages/a/**", "b"] },
    { directories: ["/packages/a", "/b"] },
  ],
  ["baseBranchPatterns", { baseBranchPatterns: ["next"] }, { "target-branch": "next" }],
  [
    "commitMessagePrefix",
    { commitMessagePrefix: "deps:" },
    { "commit-message": { prefix: "deps:" } },
  ],
  [
    "semanticCommits",
    { semanticCommits: "enabled", semanticCommitType: "build" },
    { "commit-message": { prefix: "build", include: "scope" } },
  ],
  ["automerge", { automerge: true }, { automerge: [{ "update-type": "all" }] }],
  [
    "timezone",
    { schedule: ["before 5am on monday"], timezone: "Europe/Berlin" },
    { schedule: { interval: "weekly", day: "monday", time: "00:00", timezone: "Europe/Berlin" } },
  ],
  [
    "a group, its major versions apart",
    rule({ matchPackageNames: ["@types/**", "!@types/node"] }, { groupName: "the types" }),
    {
      groups: {
        "the-types": {
          ...{ patterns: ["@types/*"], "exclude-patterns": ["@types/node"] },
          "update-types": ["minor", "patch"],
        },
        "major-the-types": {
          ...{ patterns: ["@types/*"], "exclude-patterns": ["@types/node"] },
          "update-types": ["major"],
        },
      },
    },
  ],
  [
    "one group for all",
    { groupName: "all", separateMajorMinor: false },
    { groups: { all: { patterns: ["*"] } } },
  ],
  [
    "a group of development dependencies",
    rule({ matchDepTypes: ["devDependencies"], matchUpdateTypes: ["patch"] }, { groupName: "dev" }),
    {
      groups: {
        dev: { patterns: ["*"], "dependency-type": "development", "update-types": ["patch"] },
      },
    },
  ],
  [
    "ignored kinds of changes",
    rule({ matchPackagePrefixes: ["left-"], matchUpdateTypes: ["major"] }, { enabled: false }),
    {
      ignore: [{ "dependency-name": "left-*", "update-types": ["version-update:semver-major"] }],
    },
  ],
  [
    "major",
    { major: { enabled: false } },
    { ignore: [{ "dependency-name": "*", "update-types": ["version-update:semver-major"] }] },
  ],
  [
    "allowedVersions",
    rule({ matchPackageNames: ["/^left$/"] }, { allowedVersions: "<= 2.3" }),
    { ignore: [{ "dependency-name": "left", versions: [">2.3"] }] },
  ],
  [
    "a later rule about merges wins",
    {
      packageRules: [
        { matchUpdateTypes: ["minor", "patch"], automerge: true },
        { matchPackagePatterns: ["lint"], automerge: false },
      ],
    },
    {
      automerge: [
        { "dependency-name": "*lint*", "update-type": "never" },
        { "update-type": "semver:minor" },
      ],
    },
  ],
  [
    "an age for major versions",
    rule({ matchUpdateTypes: ["major"] }, { minimumReleaseAge: "30 days" }),
    { cooldown: { "semver-major-days": 30 } },
  ],
  [
    "rules of a manager",
    {
      npm: { rangeStrategy: "widen" },
      packageRules: [{ matchManagers: ["npm"], schedule: ["every weekday"] }],
    },
    { "versioning-strategy": "widen", schedule: { interval: "daily", time: "00:00" } },
  ],
  [
    "presets",
    { extends: [":label(x)", ":semanticCommits"] },
    { labels: ["x"], "commit-message": { prefix: "chore", include: "scope" } },
  ],
];
for (const [what, options, expected] of rows)
  test(`the entry of npm: ${what}`, async (t) => {
    t.like(entries(options)[0], expected);
    t.deepEqual(convert(options).findings, []);
    t.deepEqual((await readConfigFile(convert(options).repository)).faults, []);
  });

test("managers that are disabled or not named have no entry", (t) => {
  const names = (options: object) => entries(options).map((each) => each["package-ecosystem"]);
  t.deepEqual(names({}), ["npm_and_yarn", "docker"]);
  t.deepEqual(names({ enabledManagers: ["dockerfile"] }), ["docker"]);
  t.deepEqual(names({ docker: { enabled: false } }), ["npm_and_yarn"]);
  t.deepEqual(names({ extends: ["docker:disable"] }), ["npm_and_yarn"]);
  t.deepEqual(names({ enabled: false }), []);
  t.deepEqual(entries({ baseBranches: ["a", "b"] }).length, 4);
});

const schedules: ReadonlyArray<readonly [written: string, expected: object]> = [
  ["at any time", hourly],
  ["before 4am", { interval: "cron", cronjob: "0 0 * * *" }],
  ["after 10:30pm and before 5am", { interval: "cron", cronjob: "30 22 * * *" }],
  ["after 10pm on sunday", { interval: "weekly", day: "sunday", time: "22:00" }],
  ["every weekend", { interval: "cron", cronjob: "0 0 * * 0,6" }],
  ["on monday and thursday", { interval: "cron", cronjob: "0 0 * * 1,4" }],
  ["before 5am on the first day of the month", { interval: "monthly", time: "00:00" }],
  ["* 0-3 * * 1", { interval: "cron", cronjob: "0 0 * * 1" }],
  ["0 3 1 */3 *", { interval: "cron", cronjob: "0 3 1 */3 *" }],
];
for (const [written, expected] of schedules)
  test(`the schedule \`${written}\``, (t) => {
    t.deepEqual(entries({ schedule: [written] })[0].schedule, expected);
  });

const reported: ReadonlyArray<readonly [options: object, findings: readonly string[]]> = [
  [{ lockFileMaintenance: { enabled: true } }, ["2 lockFileMaintenance"]],
  [{ a: 1, assignees: ["x"], reviewers: [] }, ["2 a", "3 assignees"]],
  [{ extends: ["github>a/b", "group:monorepos"] }, ["3 github>a/b", "4 group:monorepos"]],
  [{ packageRules: [{ matchFileNames: ["a"], enabled: false }] }, ["4 matchFileNames"]],
  [{ packageRules: [{ matchPackageNames: ["/(a|b)/"], enabled: false }] }, ["4 matchPackageNames"]],
  [{ packageRules: [{ matchPackageNames: ["a"], labels: ["x"] }] }, ["7 labels"]],
  [{ packageRules: [{ matchPackageNames: ["a"], allowedVersions: "/x/" }] }, ["7 allowedVersions"]],
  [{ schedule: ["whenever"] }, ["2 schedule"]],
  [{ timezone: "Europe/Nowhere" }, ["2 timezone"]],
  [{ hostRules: [{ matchHost: "a.example", token: "x" }] }, ["2 hostRules"]],
  [{ npmrc: "//a.example/:_authToken=x" }, ["2 npmrc"]],
  [{ customManagers: [{ customType: "jsonata" }] }, ["3 customManagers"]],
  [{ customManagers: [{ customType: "regex", matchStrings: ["(?=a)"] }] }, ["3 customManagers"]],
  [{ enabledManagers: ["npm", "nix"] }, ["2 enabledManagers"]],
  [{ vulnerabilityAlerts: { enabled: false }, prHourlyLimit: 0, pinDigests: false }, []],
];
for (const [options, expected] of reported)
  test(`reported of ${JSON.stringify(options)}`, (t) => {
    const { findings } = convert(options);
    t.deepEqual(
      findings.map(({ line, option }) => `${line} ${option}`),
      [...expected],
    );
    for (const { why } of findings) t.regex(why, /^[\w`].*[^.]$/);
  });

test("every preset is data that can be converted", async (t) => {
  for (const name of presetNames) {
    t.truthy(presetOf(name), name);
    const { repository } = convert({ extends: [name] });
    t.deepEqual((await readConfigFile(repository)).faults, [], name);
  }
  t.is(presetOf("constructor"), undefined);
  t.is(presetOf(":constructor(a)"), undefined);
});

test("JSON5, a byte order mark and the key of package.json are read", (t) => {
  const json5 = `\uFEFF// größer\n{\n  labels: ['it\\'s', "a\\\nb", '"'], /* x */ prConcurrentLimit: +0x10,\n  'odd': .5,\n}\n`;
  const { repository, findings } = convert(json5, "renovate.json5");
  t.like(parse(repository).updates[0], {
    ...{ labels: ["it's", "ab", '"'], "open-pull-requests-limit": 16 },
  });
  t.deepEqual(findings, [{ option: "odd", line: 5, why: "there is no equivalent" }]);
  const inPackage = convert({ name: "x", renovate: { labels: ["a"], odd: 1 } }, "package.json");
  t.like(parse(inPackage.repository).updates[0], { labels: ["a"] });
  t.is(inPackage.findings[0]?.line, 7);
});

const refused: ReadonlyArray<readonly [text: string, file: string, why: RegExp]> = [
  ["{", "renovate.json", /^renovate\.json:1 is not JSON/],
  ["", "renovate.json", /^renovate\.json:1 is not JSON/],
  ["[]", "renovate.json", /must be an object/],
  ["{}", "package.json", /has no key `renovate`/],
];
for (const [text, file, message] of refused)
  test(`${file} with ${JSON.stringify(text)} is refused in one sentence`, (t) => {
    t.throws(() => convert(text, file), { instanceOf: UpdatesError, message });
  });
