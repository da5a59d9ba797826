/** Maven's order of versions, and the meaning of ranges. */
import { readdirSync } from "node:fs";
import test from "ava";
import fc from "fast-check";
import { outputOf } from "../../../../tests/support/child.js";
import {
  compareMaven,
  mavenComparable,
  mavenFloor,
  mavenSatisfies,
  mavenVersioning,
  raisedMaven,
} from "./versions.js";

/** Maven's own class, from Debian's package `maven`: it compares each version with the one after it. */
async function mavensOrder(versions: readonly string[]): Promise<readonly string[]> {
  const library = "/usr/share/maven/lib";
  const jars = readdirSync(library).filter((name) =>
    /^(maven3?-artifact|commons-lang3)/.test(name),
  );
  const stdout = await outputOf("java", [
    "-cp",
    jars.map((name) => `${library}/${name}`).join(":"),
    "org.apache.maven.artifact.versioning.ComparableVersion",
    ...versions,
  ]);
  return [...stdout.matchAll(/^ {3}\S+ ([<>=]+) \S+$/gm)].map(([, sign = ""]) => sign);
}

const signOf = (order: number): string => (order < 0 ? "<" : order > 0 ? ">" : "==");

test("the order of 4,000 versions is Maven's own", async (t) => {
  const part = fc.oneof(
    fc.nat(12).map(String),
    fc.constantFrom(
      ...["alpha", "beta", "b", "a", "m", "rc", "cr", "SNAPSHOT", "Final", "GA", "sp", "RELEASE"],
      ...["jre", "x", "0", "00", "01", "20240101", "123456789012345678901", "v"],
    ),
  );
  const version = fc
    .array(fc.tuple(part, fc.constantFrom(".", "-", "", ".")), { minLength: 1, maxLength: 5 })
    .map(
      (parts) =>
        parts
          .map(([text, end]) => text + end)
          .join("")
          .replace(/[.-]+$/, "") || "1",
    );
  const versions = fc.sample(version, { numRuns: 4000, seed: 7 });
  const theirs = await mavensOrder(versions);
  t.is(theirs.length, versions.length - 1);
  const differ = theirs.flatMap((sign, index) => {
    const [a = "", b = ""] = versions.slice(index, index + 2);
    const ours = signOf(compareMaven(a, b));
    return ours === sign ? [] : [`${a} ${sign} ${b}, not ${ours}`];
  });
  t.deepEqual(differ, []);
});

const meanings: ReadonlyArray<
  readonly [requirement: string, allowed: readonly string[], not: readonly string[]]
> = [
  ["1.0", ["1.0", "1"], ["1.1"]],
  ["[1.0]", ["1.0"], ["1.0.1", "0.9"]],
  ["(,1.0]", ["0.1", "1.0"], ["1.0.1"]],
  ["[1.2,1.3]", ["1.2", "1.2.9", "1.3"], ["1.1", "1.3.1"]],
  ["[1.0,2.0)", ["1.0", "1.9"], ["2.0", "0.9"]],
  ["[1.5,)", ["1.5", "99"], ["1.4"]],
  ["(,1.0],[1.2,)", ["1.0", "1.2"], ["1.1"]],
  ["(,1.1),(1.1,)", ["1.0", "1.2"], ["1.1"]],
  ["[1.0", [], ["1.0"]],
  ["(1.0)", [], ["1.0"]],
];
for (const [requirement, allowed, not] of meanings)
  test(`${requirement} allows ${allowed.join(", ") || "nothing"}`, (t) => {
    for (const version of allowed) t.true(mavenSatisfies(version, requirement), version);
    for (const version of not) t.false(mavenSatisfies(version, requirement), version);
  });

const raises: ReadonlyArray<readonly [requirement: string, version: string, result: string]> = [
  ["1.0", "2.1", "2.1"],
  ["[1.0]", "2.1", "[2.1]"],
  ["[1.0,2.0)", "1.5", "[1.0,2.0)"],
  ["[1.0,2.0)", "3.1.4", "[1.0,4.0)"],
  ["[1.0, 2.5)", "3.1.4", "[1.0, 3.2)"],
  ["[1,2]", "3.1", "[1,3.1]"],
  ["[1,2),[3,4)", "5.2", "[1,2),[3,6)"],
  ["[1", "5.2", "[1"],
];
for (const [requirement, version, result] of raises)
  test(`${requirement} becomes ${result} for ${version}`, (t) => {
    t.is(raisedMaven(requirement, version), result);
  });

test("the lowest version of a requirement", (t) => {
  t.deepEqual(["1.2", "[1.5,2)", "(,1.0],[0.2,)", "(,1]"].map(mavenFloor), [
    "1.2",
    "1.5",
    "0.2",
    undefined,
  ]);
});

test("qualifiers of unfinished versions are prereleases, those of platforms are not", (t) => {
  const unfinished = [
    ...["1.0-alpha-1", "1.0.0-M2", "2.0-rc1", "1.0.CR3", "1-SNAPSHOT", "3.0.0-beta.2", "1.0b2"],
    "6.0.0.Beta1",
  ];
  const finished = ["1.0", "33.2.1-jre", "5.6.15.Final", "2.3.0.RELEASE", "1.0-ga", "Hoxton.SR12"];
  t.deepEqual(
    unfinished.filter((version) => !mavenVersioning.isPrerelease(version)),
    [],
  );
  t.deepEqual(
    finished.filter((version) => mavenVersioning.isPrerelease(version)),
    [],
  );
});

test("the first version of a release train needs no digit, words for the newest are no versions", (t) => {
  for (const version of ["Hoxton.RELEASE", "Finchley.GA", "Hoxton.SR12"])
    t.true(mavenVersioning.isVersion(version), version);
  for (const text of ["RELEASE", "LATEST", "latest.release", "Hoxton", "${a.RELEASE}"])
    t.false(mavenVersioning.isVersion(text), text);
});

test("a version compares with versions for its platform, and not with dates", (t) => {
  const releases = ["33.0-jre", "33.0-android", "34.0", "20040616", "35.0-SNAPSHOT"].map(
    (version) => ({ version }),
  );
  const compared = (current: string): readonly string[] =>
    mavenComparable(
      {
        id: "a:b",
        name: "a:b",
        origin: { kind: "registry", url: "" },
        declarations: [],
        development: false,
        current,
      },
      { releases },
    ).map(({ version }) => version);
  t.deepEqual(compared("32.0-jre"), ["33.0-jre"]);
  t.deepEqual(compared("32.0"), ["34.0"]);
  t.deepEqual(compared("20030101"), ["34.0", "20040616"]);
});
