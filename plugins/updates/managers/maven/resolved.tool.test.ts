/** Ranges allow what Maven allows when it selects parents from a repository. */
import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import ava from "ava";
import fc from "fast-check";
import { answer, identity } from "../../../../tests/support/answers.js";
import { outputOf } from "../../../../tests/support/child.js";
import { needs, program } from "../../../../tests/support/needs.js";
import { mavenRepository } from "../../testing/maven-repository.js";
import { compareMaven, mavenSatisfies } from "./versions.js";

const test = needs(ava, program("mvn", "Maven"));

const OFFERED = [
  ...["0.9", "1.0-alpha-1", "1.0-rc1", "1.0", "1.0.1", "1.1", "1.5-rc1", "1.5", "1.9"],
  ...["2.0-beta", "2.0", "2.0-jre", "2.0.1", "2.1", "10.0"],
];
const bound = fc.constantFrom(...OFFERED, "1", "1.2", "1.0.0", "2", "3");
const space = fc.constantFrom("", "", " ");
const interval = fc
  .tuple(bound, bound, fc.constantFrom("[", "("), fc.constantFrom("]", ")"), space)
  .map(([a, b, open, close, gap]) => {
    const [low, high] = [a, b].toSorted(compareMaven);
    return `${open}${gap}${low},${gap}${high}${close}`;
  });
const range = fc.oneof(
  { arbitrary: interval, weight: 4 },
  bound.map((one) => `[${one}]`),
  bound.map((one) => `(,${one}]`),
  bound.map((one) => `(,0.9],[1.5,${compareMaven(one, "1.5") < 0 ? "1.5" : one}]`),
);

const best = (text: string): string | undefined =>
  OFFERED.filter((one) => mavenSatisfies(one, text))
    .toSorted(compareMaven)
    .at(-1);

const coordinates = (artifact: string, version: string): string =>
  `<groupId>org.acme</groupId><artifactId>${artifact}</artifactId><version>${version}</version>`;

type Files = readonly (readonly [path: string, text: string])[];

/** What Maven writes about a project with these files. */
async function validated(files: Files): Promise<string> {
  const folder = await mkdtemp(join(tmpdir(), "reeve-maven-"));
  try {
    for (const [path, text] of files) {
      await mkdir(dirname(join(folder, path)), { recursive: true });
      await writeFile(join(folder, path), text);
    }
    const own = `-Dmaven.repo.local=${folder}/local`;
    return await outputOf("mvn", ["-B", "-s", "settings.xml", own, "validate"], {
      cwd: folder,
      env: { PATH: process.env.PATH ?? "", HOME: folder },
    });
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

test("the newest version in a range is the one Maven selects", async (t) => {
  t.timeout(120_000);
  await using registry = await mavenRepository();
  for (const version of OFFERED)
    registry.publish(
      "org.acme:above",
      version,
      `<packaging>pom</packaging><properties><taken>${version}</taken></properties>`,
    );
  const ranges = [...new Set(fc.sample(range, { numRuns: 150, seed: 3 }))].filter(best);
  const files: Files = [
    [
      "settings.xml",
      `<settings><mirrors><mirror><id>acme</id><mirrorOf>*</mirrorOf><url>${registry.url}</url></mirror></mirrors></settings>`,
    ],
    [
      "pom.xml",
      `<project><modelVersion>4.0.0</modelVersion>${coordinates("all", "1")}<packaging>pom</packaging><modules>${ranges.map((_, index) => `<module>m${index}</module>`).join("")}</modules></project>`,
    ],
    ...ranges.map(
      (one, index) =>
        [
          `m${index}/pom.xml`,
          `<project><modelVersion>4.0.0</modelVersion><parent>${coordinates("above", one)}<relativePath/></parent>${coordinates(`m${index}`, "1")}<packaging>pom</packaging><name>m${index}=\${taken}</name></project>`,
        ] as const,
    ),
  ];
  const inputs = [identity("mvn"), identity("java"), registry.published, files];
  const stdout = await answer(inputs, () => validated(files), registry.url);
  const taken = new Map(
    [...stdout.matchAll(/^\[INFO\] m(\d+)=(\S+) \.+ SUCCESS/gm)].map(([, at, one]) => [
      Number(at),
      one,
    ]),
  );
  t.deepEqual(
    ranges.map((one, index) => `${one} ${taken.get(index)}`),
    ranges.map((one) => `${one} ${best(one)}`),
  );
  t.true(ranges.length > 60);
});
