/** The order of versions and the meaning of requirements. Pure. */
import test from "ava";
import fc from "fast-check";
import { output } from "../../../../tests/support/child.js";
import { composerRequirement } from "./versions/requirement.js";
import { composerVersioning } from "./versions/versions.js";

const versions = [
  ..."0.0.1 0.1 0.9.9 1 1.0 v1.0.0 1.0.0.0 1.0.1 1.2 1.10.3 1.2.3.4 2.0.0-RC1 2.0.0-rc.2 2.0.0RC10 2.0.0-beta".split(
    " ",
  ),
  ..."2.0.0b3 2.0.0-alpha.1 2.0.0a 2.0.0 2.0.0-dev 2.0.0-beta2-dev 2.0.0-p1 2.0.0-patch.2 v2.1-pl3 1.0.0+build.5 2.3.x".split(
    " ",
  ),
  ..."2024.01.15 20240115 2024-01-15 20240115-120000 1.0.0-stable dev-main main 1.x-dev 3.0.0-foo 99999.1 100000.1 10.0.0".split(
    " ",
  ),
].filter((version) => !/^\d{4}[.-]\d{2}/.test(version) || version === "2024.01.15");
const constraints = [
  ..."^1|^1.0|^1.2.3|^0|^0.0|^0.0.3|^0.3|^0.3.1|~1|~1.2|~1.2.3|~0.0.1|1.0.*|1.*|0.*|*|1.2.x|>=1.0|>1.0|<2.0|<=2.0.0|=1.0.0".split(
    "|",
  ),
  ..."1.0.0|!=1.0.0|<>1.2|==1.2|>=1.0 <2.0|>=1.0,<2.0|>= 1.0, < 2.0|1.0 - 2.0|1.0.0 - 2.0.0|1 - 2|^2.0@beta|~2.0@dev|2.0.0-RC1|^2.0.0-RC1|~2.0.0-beta2".split(
    "|",
  ),
  "^1.0 || ^2.0",
  "^1.0|^2.0",
  ">=1.0 <1.1 || >=1.2",
  "<2.0.0-beta2",
  ">=2.0.0-alpha",
  "^v1.2",
  "2024.*",
  "~> 1.2",
  "dev-main",
  "1.0 as 2.0",
  "^1.0, !=1.0.1",
];

function php<Answer>(script: string, given: unknown): Answer {
  const code = `require "/usr/share/php/Composer/Semver/autoload.php"; $parser = new Composer\\Semver\\VersionParser(); $given = json_decode($argv[1], true); ${script}`;
  const text = output("php", ["-r", code, "--", JSON.stringify(given)]);
  return JSON.parse(text) as Answer;
}

const real = versions.filter(composerVersioning.isVersion);

test("versions are valid as in Composer, branches are not", (t) => {
  const theirs = php<readonly boolean[]>(
    'echo json_encode(array_map(function ($v) use ($parser) { try { return !preg_match("/^dev-|9999999/", $parser->normalize($v)); } catch (Exception $e) { return false; } }, $given));',
    versions,
  );
  for (const [index, version] of versions.entries())
    t.is(composerVersioning.isVersion(version), theirs[index] ?? false, version);
});

test("the order equals Composer's", (t) => {
  const theirs = php<readonly (readonly number[])[]>(
    "echo json_encode(array_map(fn($a) => array_map(fn($b) => version_compare($parser->normalize($a), $parser->normalize($b)), $given), $given));",
    real,
  );
  for (const [index, version] of real.entries())
    t.deepEqual(
      real.map((other) => Math.sign(composerVersioning.compare(version, other))),
      theirs[index],
      version,
    );
});

test("satisfaction equals Composer's", (t) => {
  const theirs = php<readonly (readonly boolean[])[]>(
    "echo json_encode(array_map(function ($c) use ($given) { return array_map(function ($v) use ($c) { try { return Composer\\Semver\\Semver::satisfies($v, $c); } catch (Exception $e) { return false; } }, $given[1]); }, $given[0]));",
    [constraints, real],
  );
  for (const [index, constraint] of constraints.entries()) {
    if (/dev-main| as /.test(constraint)) continue;
    t.deepEqual(
      real.filter((version) => composerVersioning.satisfies(version, constraint)),
      real.filter((_, position) => theirs[index]?.[position]),
      constraint,
    );
  }
});

test("branches and aliases are not constraints, so nothing satisfies them", (t) => {
  for (const constraint of ["dev-main", "dev-main#abc", "1.0 as 2.0", "~> 1.2", "nonsense"])
    t.false(
      real.some((version) => composerVersioning.satisfies(version, constraint)),
      constraint,
    );
});

const moves: ReadonlyArray<readonly [from: string, to: string, bumped: string, widened: string]> = [
  ["^1.2", "2.3.4", "^2.3", "^1.2 || ^2.3"],
  ["^1.2", "1.5.0", "^1.5", "^1.2"],
  ["~1.2.3", "v2.3.4", "~2.3.4", "~1.2.3 || ~2.3.4"],
  ["1.2.*", "2.3.4", "2.3.*", "1.2.* || 2.3.*"],
  ["1.2.3", "2.3.4", "2.3.4", "1.2.3 || ^2.3.4"],
  ["v1.2.3", "v2.3.4", "2.3.4", "v1.2.3 || ^2.3.4"],
  [">=1.0", "2.3.4", ">=2.3", ">=1.0"],
  [">=1.0 <2.0", "2.3.4", ">=1.0 <3.0", ">=1.0 <3.0"],
  ["1.0 - 1.9", "2.3.4", "1.0 - 2.3", "1.0 - 2.3"],
  ["^1.0|^2.0", "3.1.0", "^3.1", "^1.0|^2.0|^3.1"],
  ["^1.0 || ^2.0", "2.1.0", "^1.0 || ^2.0", "^1.0 || ^2.0"],
  ["^1.2@beta", "2.3.4", "^2.3@beta", "^1.2@beta || ^2.3@beta"],
  ["^2.0.0-RC1", "2.0.0", "^2.0.0", "^2.0.0-RC1"],
  ["*", "2.0.0", "*", "*"],
  ["dev-main", "2.0.0", "dev-main", "dev-main"],
];
for (const [from, to, bumped, widened] of moves)
  test(`${from} for ${to} becomes ${bumped}, or ${widened} in a library`, (t) => {
    t.is(composerRequirement(from, to, "bump_versions"), bumped);
    t.is(composerRequirement(from, to, "widen_ranges"), widened);
    t.is(composerRequirement(from, to, "lockfile_only"), from);
    const fits = composerVersioning.satisfies(to, from);
    t.is(composerRequirement(from, to, "bump_versions_if_necessary"), fits ? from : bumped);
  });

test("for any constraint, the new value allows the version", (t) => {
  const version = fc
    .array(fc.nat(12), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("."));
  const target = fc.tuple(fc.nat(12), fc.nat(12), fc.nat(12)).map((parts) => parts.join("."));
  const clause = fc
    .tuple(fc.constantFrom("^", "~", "<", "<=", ""), version)
    .map((parts) => parts.join(""));
  const constraint = fc
    .array(clause, { minLength: 1, maxLength: 2 })
    .map((parts) => parts.join(" || "));
  fc.assert(
    fc.property(constraint, target, (requirement, to) => {
      for (const strategy of [
        "bump_versions",
        "bump_versions_if_necessary",
        "widen_ranges",
      ] as const) {
        const next = composerRequirement(requirement, to, strategy);
        t.true(
          composerVersioning.satisfies(to, next),
          `${requirement} → ${next} for ${to} (${strategy})`,
        );
      }
    }),
  );
});
