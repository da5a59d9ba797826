/** The order of versions and what requirements allow, by Gradle's own classes. */
import test from "ava";
import fc from "fast-check";
import { gradleTool } from "../../testing/gradle-tool.js";
import { compareGradle } from "./order.js";
import { gradleSatisfies } from "./requirement.js";

const SCRIPT = `
import org.gradle.api.internal.artifacts.ivyservice.ivyresolve.strategy.*
import groovy.json.*
task show {
  doLast {
    def asked = new JsonSlurper().parse(file("asked.json"))
    def parser = new VersionParser()
    def order = new DefaultVersionComparator()
    def scheme = new DefaultVersionSelectorScheme(order)
    println JsonOutput.toJson([
      order: asked.pairs.collect { Integer.signum(order.asVersionComparator().compare(parser.transform(it[0]), parser.transform(it[1]))) },
      allowed: asked.requirements.collect { requirement ->
        def selector = scheme.parseSelector(requirement)
        asked.versions.collect {
          try { selector.accept(it) }
          catch (UnsupportedOperationException ranges) { selector.accept(parser.transform(it)) }
        }
      }
    ])
  }
}
`;

/** Later Gradle ranks `snapshot`, `ga` and `sp`, and `release` after `final`: on purpose not the order of 4.4.1. */
const part = fc.oneof(
  fc.nat(12).map(String),
  fc.constantFrom(
    ...["alpha", "beta", "b", "A", "m", "rc", "CR", "dev", "Final", "jre", "x", "x9y"],
    ...["20240101", "9223372036854775807", "123456789012345678901", "v", "Z", "milestone"],
  ),
);
const version = fc
  .array(fc.tuple(part, fc.constantFrom(".", "-", "", ".", "_", "+")), {
    minLength: 1,
    maxLength: 5,
  })
  .map(
    (parts) =>
      parts
        .map(([text, end]) => text + end)
        .join("")
        .replace(/[.\-_+]+$/, "") || "1",
  )
  .filter((text) => !/(?<!\d)0\d/.test(text));

const REQUIREMENTS = [
  ...["1", "1.0", "1.2.3", "1.+", "1.2.+", "1.2+", "+", "10+"],
  ...["[1,2]", "[1.0,2.0)", "[1.0,2.0[", "]1.0,2.0]", "(1.0,2.0]", "]1.0,2.0[", "(1.2.3,1.10)"],
  ...["[1.5,)", "]1.5,)", "(,2.0]", "(,2.0)", "(,2.0[", "[1.2.3,1.2.3]", "[1.2]", "[ 1.0 , 2.0 )"],
  ...["[1.0,[", "],1.0]", "(1,3)", "[1.0-rc,1.0]", "[1.a,1.1)"],
];

/** Since Gradle 7 an upper bound that is left out leaves out what begins with it, too: `[1,2)` has no `2-rc`. */
const prefixed = (each: string, requirement: string): boolean => {
  const [, upper] = /,\s*([^,\s]+)\s*[)[]$/.exec(requirement) ?? [];
  return upper !== undefined && each.startsWith(upper);
};

test("versions and requirements are what Gradle says they are", async (t) => {
  t.timeout(120_000);
  const pairs = fc.sample(fc.tuple(version, version), { numRuns: 4000, seed: 11 });
  const numbers = fc
    .array(fc.constantFrom("0", "1", "2", "3", "10"), { minLength: 1, maxLength: 3 })
    .map((parts) => parts.join("."));
  const versions = [
    ...new Set([
      ...fc.sample(numbers, { numRuns: 300, seed: 12 }),
      ...fc.sample(version, { numRuns: 200, seed: 13 }),
      ...["1.2.3", "1.2", "1.5", "1.5-rc-1", "1.0-rc", "1.2.3-beta", "2.0", "2.0.0", "1.20"],
    ]),
  ];
  const asked = { pairs, requirements: REQUIREMENTS, versions };
  const theirs = JSON.parse(
    await gradleTool({ "build.gradle": SCRIPT, "asked.json": JSON.stringify(asked) }),
  ) as { readonly order: readonly number[]; readonly allowed: readonly (readonly boolean[])[] };
  const differ = pairs.flatMap(([a, b], index) => {
    const ours = Math.sign(compareGradle(a, b));
    return ours === theirs.order[index] ? [] : [`${a} ${theirs.order[index]} ${b}, not ${ours}`];
  });
  t.deepEqual(differ, []);
  const other = REQUIREMENTS.flatMap((requirement, at) =>
    versions.flatMap((each, index) => {
      if (prefixed(each, requirement)) return [];
      const ours = gradleSatisfies(each, requirement);
      return ours === theirs.allowed[at]?.[index] ? [] : [`${requirement} ${each} ${ours}`];
    }),
  );
  t.deepEqual(other, []);
});
