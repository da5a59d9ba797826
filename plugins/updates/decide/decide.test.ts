/** Which version a dependency goes to, and every reason to stay. */
import test from "ava";
import type { Advisory } from "../advisories/contract.js";
import type { Available, Declaration, Dependency, Release } from "../managers/contract.js";
import { managerOf } from "../managers/index.js";
import type { NoUpdateReason, UpdatePolicy } from "./contract.js";
import { type Case, decide } from "./decide.js";

const npm = await managerOf("npm_and_yarn");
const NOW = Date.parse("2026-06-01T00:00:00Z");
const DAY = 86_400_000;

interface Given {
  readonly requirement?: string;
  readonly current?: string | null;
  readonly locked?: boolean;
  readonly indirect?: boolean;
  readonly releases?: readonly (string | Release)[];
  readonly latest?: string;
  readonly policy?: Partial<UpdatePolicy>;
  readonly advisories?: readonly Advisory[];
  readonly node?: string;
  readonly origin?: Dependency["origin"];
}

function caseOf(given: Given): Case {
  const { requirement = "^1.0.0", current = "1.0.0", locked = true, indirect = false } = given;
  const { releases = ["1.0.0"], latest, policy = {}, advisories = [], node } = given;
  const declaration: Declaration = {
    file: "package.json",
    range: { start: 0, end: requirement.length },
    requirement,
    section: "dependencies",
    development: false,
  };
  const available: Available = {
    releases: releases.map((release) =>
      typeof release === "string" ? { version: release } : release,
    ),
    ...(latest === undefined ? {} : { latest }),
  };
  return {
    manager: npm,
    dependency: {
      id: "foo",
      name: "foo",
      origin: given.origin ?? { kind: "registry", url: "https://registry.example.test" },
      declarations: indirect ? [] : [declaration],
      development: false,
      current: current ?? undefined,
      ...(locked ? { lockedBy: "package-lock.json" } : {}),
    },
    runtime: node === undefined ? {} : { node },
    library: false,
    available,
    advisories,
    policy: { lockfileOnly: false, securityOnly: false, ignore: [], ...policy },
    now: NOW,
  };
}

const flaw = (introduced: string, fixed: string): Advisory => ({
  id: "GHSA-1",
  aliases: [],
  summary: "a hole",
  affected: {
    ecosystem: "npm",
    name: "foo",
    versions: [],
    ranges: [{ kind: "versions", events: [{ introduced }, { fixed }] }],
  },
});

const many = ["1.0.0", "1.0.1", "1.1.0", "1.2.0-beta.1", "2.0.0", "2.1.0"];

const updates: ReadonlyArray<
  readonly [what: string, given: Given, to: string, requirement: string]
> = [
  ["the newest version", { releases: many }, "2.1.0", "^2.1.0"],
  [
    "only lock files: the newest in range",
    { releases: many, policy: { lockfileOnly: true } },
    "1.1.0",
    "^1.0.0",
  ],
  [
    "not above what the publisher calls the latest",
    { releases: many, latest: "2.0.0" },
    "2.0.0",
    "^2.0.0",
  ],
  [
    "not a withdrawn version",
    { releases: ["1.1.0", { version: "1.2.0", withdrawn: "broken" }] },
    "1.1.0",
    "^1.1.0",
  ],
  [
    "a prerelease goes to its next one",
    { current: "2.0.0-rc.1", requirement: "2.0.0-rc.1", releases: ["2.0.0-rc.2", "2.1.0-rc.1"] },
    "2.0.0-rc.2",
    "2.0.0-rc.2",
  ],
  [
    "a prerelease goes to its release",
    { current: "2.0.0-rc.1", requirement: "2.0.0-rc.1", releases: ["2.0.0-rc.2", "2.0.0"] },
    "2.0.0",
    "2.0.0",
  ],
  [
    "below an ignored version",
    { releases: many, policy: { ignore: [{ dependency: "foo", versions: [">=2"] }] } },
    "1.1.0",
    "^1.1.0",
  ],
  [
    "below an ignored kind of change",
    { releases: many, policy: { ignore: [{ dependency: "f*", changes: ["major"] }] } },
    "1.1.0",
    "^1.1.0",
  ],
  [
    "old enough",
    {
      releases: ["1.1.0", { version: "1.2.0", published: NOW - DAY }],
      policy: { cooldown: 3 * DAY },
    },
    "1.1.0",
    "^1.1.0",
  ],
  [
    "old enough for its kind of change",
    {
      releases: ["1.0.1", "1.1.0"].map((version) => ({ version, published: NOW })),
      policy: { cooldown: DAY, cooldowns: { changes: { patch: 0 } } },
    },
    "1.0.1",
    "^1.0.1",
  ],
  [
    "what runs on the project's Node",
    { node: ">=20", releases: ["1.1.0", { version: "1.2.0", runtime: { node: ">=22" } }] },
    "1.1.0",
    "^1.1.0",
  ],
  ["what resolves", { releases: many, policy: { refused: ["2.1.0", "2.0.0"] } }, "1.1.0", "^1.1.0"],
  [
    "without a lock file the requirement moves",
    { locked: false, current: null, releases: many },
    "2.1.0",
    "^2.1.0",
  ],
  ["the lowest fix", { releases: many, advisories: [flaw("0", "1.0.1")] }, "1.0.1", "^1.0.1"],
  [
    "a fix with its own vulnerability",
    { releases: many, advisories: [flaw("0", "1.0.1"), flaw("1.0.1", "1.1.0")] },
    "1.1.0",
    "^1.1.0",
  ],
  [
    "a security fix: ignored kinds of change do not count",
    {
      releases: many,
      advisories: [flaw("0", "2.0.0")],
      policy: { ignore: [{ dependency: "foo", changes: ["major"] }] },
    },
    "2.0.0",
    "^2.0.0",
  ],
  [
    "a hole: no waiting",
    {
      releases: [{ version: "1.0.1", published: NOW }],
      advisories: [flaw("0", "1.0.1")],
      policy: { cooldown: DAY },
    },
    "1.0.1",
    "^1.0.1",
  ],
  [
    "security updates only, with a fix",
    { releases: many, advisories: [flaw("0", "1.1.0")], policy: { securityOnly: true } },
    "1.1.0",
    "^1.1.0",
  ],
];
for (const [what, given, to, requirement] of updates)
  test(`goes to: ${what}`, (t) => {
    const decision = decide(caseOf(given));
    if (decision.kind === "none") return t.fail(decision.why);
    t.is(decision.to, to);
    t.deepEqual(decision.change.requirements, [requirement]);
  });

const stays: ReadonlyArray<
  readonly [what: string, reason: NoUpdateReason, given: Given, newest?: string]
> = [
  ["nothing newer is offered", "up_to_date", { releases: ["0.9.0", "1.0.0"] }],
  [
    "what is newer is a prerelease",
    "up_to_date",
    { releases: ["1.0.0", "1.1.0-beta.1"] },
    "1.1.0-beta.1",
  ],
  [
    "all is allowed that is offered",
    "up_to_date",
    { locked: false, current: null, requirement: ">=1.0.0", releases: ["1.0.0"] },
  ],
  [
    "it has no registry",
    "no_origin",
    { origin: { kind: "none", why: "foo is a workspace of this repository." } },
  ],
  ["nothing is offered", "nothing_comparable", { releases: [] }],
  [
    "only lock files may change and there is none",
    "not_locked",
    { locked: false, policy: { lockfileOnly: true }, releases: many },
  ],
  [
    "only lock files may change and the range ends",
    "out_of_range",
    { policy: { lockfileOnly: true }, releases: ["1.0.0", "2.0.0"] },
    "2.0.0",
  ],
  ["no hole is known", "not_vulnerable", { policy: { securityOnly: true }, releases: many }],
  [
    "other versions are vulnerable",
    "not_vulnerable",
    { policy: { securityOnly: true }, releases: many, advisories: [flaw("2.0.0", "2.1.0")] },
  ],
  ["every version has the hole", "no_fix", { advisories: [flaw("0", "9.0.0")], releases: many }],
  [
    "every version is ignored",
    "ignored",
    { policy: { ignore: [{ dependency: "*" }] }, releases: ["1.1.0"] },
    "1.1.0",
  ],
  [
    "the very version is ignored",
    "ignored",
    { policy: { ignore: [{ dependency: "foo", versions: ["1.1.0"] }] }, releases: ["1.1.0"] },
    "1.1.0",
  ],
  [
    "the version is too young",
    "cooling_down",
    { policy: { cooldown: DAY }, releases: [{ version: "1.1.0", published: NOW - 1 }] },
    "1.1.0",
  ],
  [
    "the version wants a newer Node",
    "runtime_too_old",
    { node: ">=18", releases: [{ version: "1.1.0", runtime: { node: ">=22" } }] },
    "1.1.0",
  ],
  [
    "the version did not resolve",
    "does_not_resolve",
    { policy: { refused: ["1.1.0"] }, releases: ["1.1.0"] },
    "1.1.0",
  ],
  ["no manifest declares it", "indirect", { indirect: true, releases: many }],
];
for (const [what, reason, given, newest] of stays)
  test(`stays, ${reason}: ${what}`, (t) => {
    const decision = decide(caseOf(given));
    if (decision.kind === "update") return t.fail(decision.to);
    t.is(decision.reason, reason);
    t.is(decision.newest, newest);
    t.regex(decision.why, /^[^\n]+\.$/);
  });

test("an update says what it fixes, what kind of change it is and whether it was allowed before", (t) => {
  const decision = decide(caseOf({ releases: many, advisories: [flaw("0", "1.1.0")] }));
  t.like(decision, {
    kind: "update",
    from: "1.0.0",
    to: "1.1.0",
    semver: "minor",
    inRange: true,
    toPrerelease: false,
  });
  t.deepEqual(decision.kind === "update" ? decision.fixes.map(({ id }) => id) : [], ["GHSA-1"]);
  t.like(decide(caseOf({ releases: many })), { semver: "major", inRange: false });
});

test("a vulnerable indirect dependency moves", (t) => {
  const decision = decide(
    caseOf({ indirect: true, releases: many, advisories: [flaw("0", "1.0.1")] }),
  );
  t.like(decision, { kind: "update", to: "1.0.1", inRange: true });
});
