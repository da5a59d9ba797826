/** Compares the order of versions and the meaning of requirements with Gradle's own classes. */
import ava from "ava";
import fc from "fast-check";
import { gradleTool } from "../../testing/gradle-tool.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { type MavenRepository, mavenRepository } from "../../testing/maven-repository.js";
import { gradle } from "./manager.js";
import { compareGradle, gradleSatisfies } from "./versions.js";

const SCRIPT = `
import org.gradle.api.internal.artifacts.ivyservice.ivyresolve.strategy.*
import groovy.json.*
task show {
  doLast {
    def input = new JsonSlurper().parse(file("input.json"))
    def parser = new VersionParser()
    def order = new DefaultVersionComparator()
    def scheme = new DefaultVersionSelectorScheme(order)
    println JsonOutput.toJson([
      order: input.pairs.collect { Integer.signum(order.asVersionComparator().compare(parser.transform(it[0]), parser.transform(it[1]))) },
      allowed: input.requirements.collect { requirement ->
        def selector = scheme.parseSelector(requirement)
        input.versions.collect {
          try { selector.accept(it) }
          catch (UnsupportedOperationException ranges) { selector.accept(parser.transform(it)) }
        }
      }
    ])
  }
}
`;

import { needs, program } from "../../../../tests/support/needs.js";

const test = needs(ava, program("/usr/bin/gradle", "gradle"));

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

/** Since Gradle 7 an excluded upper bound excludes its prereleases too: `[1,2)` has no `2-rc`. */
const prefixed = (each: string, requirement: string): boolean => {
  const [, upper] = /,\s*([^,\s]+)\s*[)[]$/.exec(requirement) ?? [];
  return upper !== undefined && each.startsWith(upper);
};

test("versions and requirements agree with Gradle's classes", async (t) => {
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
  const input = { pairs, requirements: REQUIREMENTS, versions };
  const theirs = JSON.parse(
    await gradleTool({ "build.gradle": SCRIPT, "input.json": JSON.stringify(input) }),
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

/** Each may need those after it. */
const MODULES = ["top", "left", "right", "middle", "low", "base"];
const RELEASES = ["1.0", "1.1", "2.0"];

const need = (to: number) =>
  fc.record({
    to: fc.constant(to),
    version: fc.constantFrom(...RELEASES),
    without: fc.constantFrom(...Array<null>(20).fill(null), ...MODULES.slice(3)),
    how: fc.constantFrom(
      ...["", "", "", "", "", "", "", "", "<scope>runtime</scope>", "<scope>test</scope>"],
    ),
  });
const pom = fc.record({
  needs: fc.uniqueArray(fc.nat(4).chain(need), { maxLength: 2, selector: ({ to }) => to }),
});
/** Most updated artifacts need the same in all releases, each in another version. */
const top = fc.record({ needs: fc.tuple(need(1), need(3)) });
const world = fc.tuple(
  ...MODULES.flatMap((_name, at) => RELEASES.map(() => (at === 0 ? top : pom))),
);
type Pom = typeof pom extends fc.Arbitrary<infer Value> ? Value : never;

const dependenciesOf = (at: number, { needs }: Pom): string => {
  const items = needs.flatMap(({ to, version, without, how }) => {
    const name = MODULES[at + 1 + to];
    if (name === undefined) return [];
    const exclusions =
      without === null
        ? ""
        : `<exclusions><exclusion><groupId>org.acme</groupId><artifactId>${without}</artifactId></exclusion></exclusions>`;
    return [
      `<dependency><groupId>org.acme</groupId><artifactId>${name}</artifactId><version>${version}</version>${how}${exclusions}</dependency>`,
    ];
  });
  return `<dependencies>${items.join("")}</dependencies>`;
};

/** The lock file lines that Gradle resolves for each set of dependencies. */
async function resolved(registry: MavenRepository, sets: readonly (readonly string[])[]) {
  const script = `
repositories { maven { url "${registry.url}" } }
def sets = new groovy.json.JsonSlurper().parse(file("sets.json"))
task show {
  doLast {
    println groovy.json.JsonOutput.toJson(sets.collect { set ->
      def all = configurations.detachedConfiguration(*set.collect { dependencies.create(it) })
      all.incoming.resolutionResult.allComponents.collect { it.moduleVersion.toString() }.findAll { it.startsWith("org.acme:") }.sort()
    })
  }
}`;
  const files = { "build.gradle": script, "sets.json": JSON.stringify(sets) };
  return JSON.parse(await gradleTool(files, registry)) as readonly (readonly string[])[];
}

test("a refreshed lock file equals the one Gradle resolves", async (t) => {
  t.timeout(120_000);
  await using registry = await mavenRepository();
  await using tools = workshop();
  const worlds = fc.sample(world, { seed: 8, numRuns: 20 });
  const cases = worlds.flatMap((poms, world) => {
    const group = (name: string): string => `org.acme:w${world}-${name}`;
    for (const [at, name] of MODULES.entries())
      for (const [index, version] of RELEASES.entries()) {
        const one = poms[at * 3 + index];
        const text = one ? dependenciesOf(at, one) : "";
        registry.publish(
          group(name),
          version,
          text.replaceAll("<artifactId>", `<artifactId>w${world}-`),
        );
      }
    return RELEASES.slice(1).flatMap((other) =>
      RELEASES.slice(1).map((to, index) => {
        const from = RELEASES[index] ?? "";
        const rest = [`${group("left")}:${other}`, `${group("low")}:2.0`];
        const name = group("top");
        return {
          name,
          to,
          before: [`${name}:${from}`, ...rest],
          after: [`${name}:${to}`, ...rest],
        };
      }),
    );
  });
  const sets = await resolved(
    registry,
    cases.flatMap(({ before, after }) => [before, after]),
  );
  const lockOf = (lines: readonly string[] = []): string =>
    `${lines.map((line) => `${line}=runtimeClasspath`).join("\n")}\n`;
  const settings = { registries: [{ manager: "gradle" as const, url: registry.url }] };
  const count = { moved: 0, left: 0, needlessly: 0 };
  for (const [index, { name, to, before }] of cases.entries()) {
    const locked = lockOf(sets[index * 2]);
    const sources = repository({
      "build.gradle": `dependencies { ${before.map((each) => `implementation '${each}'`).join("; ")} }\n`,
      "gradle.lockfile": locked,
    });
    const dependency = gradle
      .parse(sources, settings)
      .dependencies.find((each) => each.name === name);
    if (!dependency) return t.fail();
    const requirements = dependency.declarations.map(() => to);
    const change = { dependency, to: { version: to }, requirements };
    const { files, lock } = await gradle.update({ sources, settings, changes: [change] }, tools);
    const theirs = lockOf(sets[index * 2 + 1]);
    if (lock.kind === "refreshed") {
      count.moved += 1;
      t.is(files.get("gradle.lockfile"), theirs, `${locked}→ ${to}`);
    } else {
      count.left += 1;
      const alone = locked.replace(new RegExp(`${name}:[^=]*`), `${name}:${to}`) === theirs;
      if (alone) count.needlessly += 1;
    }
  }
  t.log(count);
  t.true(count.moved > 3);
  t.true(count.left > count.needlessly);
});
