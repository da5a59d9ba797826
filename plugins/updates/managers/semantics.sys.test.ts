/** Version settings of a configuration mean the same for every manager. */
import test, { type ExecutionContext } from "ava";
import type { Advisory } from "../advisories/contract.js";
import type { IgnoreRule, UpdatePolicy } from "../decide/contract.js";
import { decide } from "../decide/decide.js";
import { repository } from "../testing/manager-fixture.js";
import { type Steps, steps } from "../testing/steps.js";
import type { Dependency, Manager, Release } from "./contract.js";
import { managerOf, type PackageManager, packageManagers } from "./index.js";

const NOW = Date.parse("2026-06-01T00:00:00Z");
const DAY = 86_400_000;

const managers = Object.fromEntries(
  await Promise.all(packageManagers.map(async (id) => [id, await managerOf(id)] as const)),
) as Record<PackageManager, Manager>;

interface Given {
  readonly policy?: Partial<UpdatePolicy>;
  readonly advisories?: readonly Advisory[];
  readonly young?: readonly string[];
  readonly withdrawn?: readonly string[];
}

function dependencyOf(
  id: PackageManager,
  { files, submodules = {}, name, patterns = [] }: Steps,
): Dependency {
  const found = managers[id].parse(repository(files, { submodules }), { registries: [], patterns });
  const dependency = found.dependencies.find((each) => each.name === name);
  if (!dependency) throw new Error(`${name} was not found by ${id}`);
  return dependency;
}

function decision(id: PackageManager, { policy, advisories = [], ...marks }: Given) {
  const { young = [], withdrawn = [] } = marks;
  const known = steps[id];
  const { from, patch, minor, major, prerelease } = known;
  const versions = [minor, prerelease, from, major, patch].filter((each) => each !== undefined);
  const releases = versions.map(
    (version): Release => ({
      version,
      pin: "f".repeat(40),
      published: young.includes(version) ? NOW - 1 : NOW - 30 * DAY,
      ...(withdrawn.includes(version) ? { withdrawn: "taken back" } : {}),
    }),
  );
  return decide({
    manager: managers[id],
    dependency: dependencyOf(id, known),
    ...{ runtime: {}, library: false, available: { releases }, advisories, now: NOW },
    policy: { lockfileOnly: false, securityOnly: false, ignore: [], ...policy, zero: "literal" },
  });
}

/** The new version, or the reason for none. */
const outcome = (id: PackageManager, given: Given): string => {
  const said = decision(id, given);
  return said.kind === "update" ? said.to : said.reason;
};

const requirement = (id: PackageManager, given: Given): string | undefined => {
  const said = decision(id, given);
  return said.kind === "update" ? said.change.requirements[0] : said.reason;
};

const advisory = (fixed: string): Advisory => ({
  ...{ id: "X-1", aliases: [], summary: "a vulnerability" },
  affected: {
    ...{ ecosystem: "any", name: "left", versions: [] },
    ranges: [{ kind: "versions", events: [{ introduced: "0" }, { fixed }] }],
  },
});

type Check = (t: ExecutionContext, id: PackageManager, known: Steps) => void;
const ignoring = (...rules: readonly Partial<IgnoreRule>[]): Given => ({
  policy: { ignore: rules.map((rule) => ({ dependency: "*left", ...rule })) },
});

const checks: Readonly<Record<string, Check>> = {
  "the newest is offered, no prerelease, and what kind of step it is": (t, id, { from, major }) => {
    const said = decision(id, {});
    t.like(said, { kind: "update", from, to: major, semver: "major", toPrerelease: false });
  },
  "smaller steps are called what they are": (t, id, { patch, minor }) => {
    const changes: readonly (readonly [string, IgnoreRule["changes"], string])[] = [
      [minor, ["major"], "minor"],
      [patch, ["major", "minor"], "patch"],
    ];
    for (const [to, ignored, semver] of changes)
      t.like(decision(id, ignoring({ changes: ignored ?? [] })), { to, semver });
    t.is(outcome(id, ignoring({ changes: ["major", "minor", "patch"] })), "ignored");
  },
  "names, versions and ranges are ignored": (t, id, { major, minor, ignoring: range }) => {
    const [, first = ""] = /^v?(\d+)/.exec(major) ?? [];
    t.is(outcome(id, ignoring({})), "ignored");
    t.is(outcome(id, ignoring({ dependency: "other" })), major);
    for (const versions of [[major], [range], [`${first}.x`], [`>=${first}.0.0, < 99`]])
      t.is(outcome(id, ignoring({ versions })), minor, versions.join());
    t.is(outcome(id, ignoring({ versions: [">= 98.0.0"] })), major);
  },
  "a young or withdrawn release waits": (t, id, { major, minor, patch }) => {
    const cooldown = { policy: { cooldown: 3 * DAY } };
    t.is(outcome(id, { ...cooldown, young: [major] }), minor);
    t.is(outcome(id, { ...cooldown, young: [patch] }), major);
    t.is(outcome(id, { young: [major] }), major);
    t.is(outcome(id, { withdrawn: [major, minor] }), patch);
  },
  "each strategy writes its own requirement": (t, id, known) => {
    const { bumped, widened, required } = known;
    const [declaration] = dependencyOf(id, known).declarations;
    t.is(declaration?.requirement, required);
    t.is(requirement(id, { policy: { strategy: "bump_versions" } }), bumped);
    t.is(requirement(id, { policy: { strategy: "bump_versions_if_necessary" } }), bumped);
    t.is(requirement(id, { policy: { strategy: "widen_ranges" } }), widened);
    for (const version of [known.from, known.major])
      if (widened !== bumped)
        t.true(managers[id].versioning.satisfies(version, widened), `${widened} ${version}`);
  },
  "lockfile_only changes only lock files": (t, id, { inRange, required }) => {
    const policy = { lockfileOnly: true };
    const locked = dependencyOf(id, steps[id]).lockedBy !== undefined;
    t.is(outcome(id, { policy }), inRange ?? (locked ? "out_of_range" : "not_locked"));
    if (inRange !== undefined) t.is(requirement(id, { policy }), required);
    if (inRange !== undefined) t.like(decision(id, { policy }), { inRange: true });
  },
  "advisories alone are fixed by the smallest step": (t, id, { patch, minor, major }) => {
    const policy = { securityOnly: true };
    t.is(outcome(id, { policy }), "not_vulnerable");
    for (const fixed of [patch, minor, major]) {
      const given = { policy, advisories: [advisory(fixed)], young: [fixed] };
      t.is(outcome(id, given), fixed);
      t.is(outcome(id, { ...given, policy: { ...policy, cooldown: DAY } }), fixed);
    }
    t.is(outcome(id, { advisories: [advisory("99.0.0")] }), "no_fix");
  },
};

for (const id of Object.keys(steps) as readonly PackageManager[])
  for (const [what, check] of Object.entries(checks))
    test(`${id}: ${what}`, (t) => check(t, id, steps[id]));
