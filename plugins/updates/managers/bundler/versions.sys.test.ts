/** The order of versions and the meaning of requirements. Pure. */
import test from "ava";
import fc from "fast-check";
import { output } from "../../../../tests/support/child.js";
import { gemRequirement, gemVersioning } from "./versions.js";

const versions = [
  ..."0 0.0.1 0.1 0.9.9 1 1.0 1.0.0 1.0.0.0 1.0.1 1.2 1.10 1.2.3.4 2.0.0.rc1 2.0.0.rc2 2.0.0.rc10".split(
    " ",
  ),
  ..."2.0.0.beta 2.0.0.a 2.0.0.B 2.0.0-1 2.0.0.pre.1 2.0.0 2.a 2.0.a.1 10.0 20240101 1.2.b3.4 3.0.0.alpha.10".split(
    " ",
  ),
];
const requirements = [
  ..."~> 1|~> 1.0|~> 1.2.0|~> 2.0.0.rc1|~> 2.0.a|>= 1.0|> 1|< 2|<= 1.2|= 1.0|1.0.0|!= 1.0".split(
    "|",
  ),
  ...">= 1, < 2|~> 1.0, != 1.2|>=0|~>1.2|< 2.0.0|< 2.0.0.a|> 2.0.0.rc2".split("|"),
];

/** One line of numbers for each version or requirement, from Ruby. */
function ruby(script: string): readonly (readonly number[])[] {
  const input = JSON.stringify({ versions, requirements });
  const text = output("ruby", ["-rjson", "-e", `given = JSON.parse(ARGV[0]); ${script}`, input]);
  return JSON.parse(text) as readonly (readonly number[])[];
}

test("the order equals Gem::Version's", (t) => {
  const theirs = ruby(
    'all = given["versions"].map { |v| Gem::Version.new(v) }; puts JSON.generate(all.map { |a| all.map { |b| a <=> b } })',
  );
  const mine = versions.map((a) => versions.map((b) => Math.sign(gemVersioning.compare(a, b))));
  t.deepEqual(mine, theirs);
});

test("satisfaction equals Gem::Requirement's", (t) => {
  const theirs = ruby(
    'puts JSON.generate(given["requirements"].map { |r| q = Gem::Requirement.new(*r.split(",")); given["versions"].map { |v| q.satisfied_by?(Gem::Version.new(v)) ? 1 : 0 } })',
  );
  const mine = requirements.map((requirement) =>
    versions.map((version) => (gemVersioning.satisfies(version, requirement) ? 1 : 0)),
  );
  for (const [index, requirement] of requirements.entries())
    t.deepEqual(mine[index], theirs[index], requirement);
});

test("letters make a prerelease, as for Gem::Version", (t) => {
  const theirs = ruby(
    'puts JSON.generate([given["versions"].map { |v| Gem::Version.new(v).prerelease? ? 1 : 0 }])',
  );
  t.deepEqual([versions.map((one) => (gemVersioning.isPrerelease(one) ? 1 : 0))], theirs);
});

const moves: ReadonlyArray<readonly [from: string, to: string, bumped: string, widened: string]> = [
  ["~> 1.2", "2.3.4", "~> 2.3", ">= 1.2, < 3"],
  ["~> 1.2.3", "2.3.4", "~> 2.3.4", ">= 1.2.3, < 2.4"],
  ["~> 1", "2.3.4", "~> 2", ">= 1, < 3"],
  ["~> 1.2", "1.5.0", "~> 1.5", "~> 1.2"],
  ["1.2.3", "2.3.4", "2.3.4", ">= 1.2.3, < 3"],
  ["= 1.2.3", "1.2.4", "= 1.2.4", ">= 1.2.3, < 2"],
  [">= 1.0", "2.3.4", ">= 1.0", ">= 1.0"],
  [">= 1.0, < 2", "2.3.4", ">= 1.0, < 3", ">= 1.0, < 3"],
  ["< 2.0", "2.3.4", "< 3.0", "< 3.0"],
  ["< 2.12.8.8", "9.8.8.12", "< 9.8.8.13", "< 9.8.8.13"],
  ["<= 1.9", "2.3.4", "<= 2.3.4", "<= 2.3.4"],
  ["!= 1.5", "2.3.4", "!= 1.5", "!= 1.5"],
  ["~> 2.0.0.rc1", "2.0.0", "~> 2.0.0", "~> 2.0.0.rc1"],
  ["~> 1.2", "2.0.0.rc1", "~> 2.0.0.rc1", ">= 1.2, < 3"],
  ["~>1.2", "2.3.4", "~>2.3", ">= 1.2, < 3"],
];
for (const [from, to, bumped, widened] of moves)
  test(`${from} for ${to} becomes ${bumped}, or ${widened} in a library`, (t) => {
    t.is(gemRequirement(from, to, "bump_versions"), bumped);
    t.is(gemRequirement(from, to, "widen_ranges"), widened);
    t.is(gemRequirement(from, to, "lockfile_only"), from);
    const fits = gemVersioning.satisfies(to, from);
    t.is(gemRequirement(from, to, "bump_versions_if_necessary"), fits ? from : bumped);
    t.true(/!=/.test(from) || gemVersioning.satisfies(to, bumped));
    t.true(gemVersioning.satisfies(to, widened));
  });

test("for any requirement, the new value allows the version", (t) => {
  const number = fc.nat(12);
  const version = fc.array(number, { minLength: 1, maxLength: 4 }).map((parts) => parts.join("."));
  const clause = fc
    .tuple(fc.constantFrom("~>", ">=", "=", "<", "<=", ""), version)
    .map((parts) => parts.join(" ").trim());
  fc.assert(
    fc.property(clause, version, (requirement, to) => {
      for (const strategy of [
        "bump_versions",
        "bump_versions_if_necessary",
        "widen_ranges",
      ] as const) {
        const next = gemRequirement(requirement, to, strategy);
        const lower =
          /^>=/.test(requirement) || gemVersioning.compare(to, requirement.replace(/^\D+/, "")) < 0;
        t.true(lower || gemVersioning.satisfies(to, next), `${requirement} → ${next} for ${to}`);
      }
    }),
  );
});
