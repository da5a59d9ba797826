/** Locks of graphs by the hundred: what is settled Bundler keeps as it is, and what is refused it refuses. */
import ava from "ava";
import fc from "fast-check";
import { needs, program } from "../../../../tests/support/needs.js";
import { runs } from "../../../../tests/support/runs.js";
import { UpdatesError } from "../../errors.js";
import { bundlerResolves } from "../../testing/bundler-resolver.js";
import { gemServer } from "../../testing/gem-server.js";
import { repository, workshop } from "../../testing/manager-fixture.js";
import { bundler } from "./manager.js";

const test = needs(ava, program("bundle", "Bundler"));

const NAMES = ["a", "b", "c", "d", "e", "f"];
const VERSIONS = ["1.0.0", "1.1.0", "1.2.0.pre", "1.2.0", "2.0.0", "2.1.0"];
/** Releases that are there before the update. */
const OLD = 2;
const REQUIREMENTS = [
  "~> 1.0",
  "~> 1.0",
  ">= 1",
  ">= 0",
  "~> 1.1",
  "~> 2.0",
  "= 1.1.0",
  ">= 1.1&< 2",
  "!= 1.1.0",
];

const requirement = fc.constantFrom(...REQUIREMENTS);
const needsOf = (index: number) =>
  fc.uniqueArray(
    fc.record({ name: fc.constantFrom(...NAMES.slice(index + 1), "f"), requirement }),
    {
      maxLength: index >= 5 ? 0 : 2,
      selector: ({ name }) => name,
    },
  );
const project = fc.record({
  needs: fc.tuple(
    ...NAMES.map((_, index) => fc.array(needsOf(index), { minLength: 6, maxLength: 6 })),
  ),
  roots: fc.uniqueArray(
    fc.record({
      name: fc.constantFrom("b", "c", "d"),
      requirement: fc.constantFrom("~> 1.0", ">= 1", "< 2", "~> 1.1.0"),
    }),
    { maxLength: 2, selector: ({ name }) => name },
  ),
  to: fc.constantFrom("1.2.0", "2.0.0", "2.1.0"),
});

test("Bundler keeps resolved locks and refuses refused ones", async (t) => {
  t.timeout(180_000);
  await using at = await gemServer();
  await using tools = workshop();
  const projects = fc.sample(project, { numRuns: runs(40, 120), seed: 1 });
  /** Each project has gems of its own. */
  const publish = (from: number, to: number): void => {
    for (const [number, { needs }] of projects.entries())
      for (const [index, name] of NAMES.entries())
        for (const [position, version] of VERSIONS.entries())
          if (position >= from && position < to)
            at.publish(
              `${name}${number}`,
              version,
              (needs[index]?.[position] ?? [])
                .map((one) => `${one.name}${number}:${one.requirement}`)
                .join(","),
            );
  };
  const gemfile = (number: number, wanted: string): string =>
    [
      `source "${at.url}"`,
      `gem "a${number}", "${wanted}"`,
      ...(projects[number]?.roots ?? []).map(
        (root) => `gem "${root.name}${number}", "${root.requirement}"`,
      ),
      "",
    ].join("\n");
  publish(0, OLD);
  const before = await bundlerResolves(
    at,
    projects.map((_, number) => ({ gemfile: gemfile(number, "~> 1.0"), lock: "", unlock: [] })),
  );
  publish(OLD, VERSIONS.length);
  const count = { resolved: 0, refused: 0, left: 0 };
  const questions: { gemfile: string; lock: string; unlock: string[] }[] = [];
  const expected: (string | undefined)[] = [];
  for (const [number, { to }] of projects.entries()) {
    const lock = before[number];
    if (lock === undefined) continue;
    const sources = repository({ Gemfile: gemfile(number, "~> 1.0"), "Gemfile.lock": lock });
    const { dependencies } = bundler.parse(sources, { registries: [] });
    const dependency = dependencies.find(({ name }) => name === `a${number}`);
    if (!dependency) throw new Error("it is not there");
    const change = { dependency, to: { version: to }, requirements: [to] };
    try {
      const edit = await bundler.update(
        { sources, settings: { registries: [] }, changes: [change] },
        tools,
      );
      if (edit.lock.kind === "stale") count.left += 1;
      else {
        count.resolved += 1;
        const mine = edit.files.get("Gemfile.lock") ?? "";
        questions.push({ gemfile: gemfile(number, to), lock: mine, unlock: [] });
        expected.push(mine);
      }
    } catch (error) {
      if (!(error instanceof UpdatesError) || error.code !== "does_not_resolve") throw error;
      count.refused += 1;
      questions.push({ gemfile: gemfile(number, to), lock, unlock: [`a${number}`] });
      expected.push(undefined);
    }
  }
  t.log(`${count.resolved} settled, ${count.refused} refused, ${count.left} left to Bundler`);
  const said = await bundlerResolves(at, questions);
  for (const [index, lock] of expected.entries())
    t.is(said[index], lock, JSON.stringify(questions[index]));
  t.true(count.resolved > (projects.length * 2) / 3 && count.refused > 0);
});
