/** Something is wrong with one package while many repositories are updated: all else goes on, and each run says what it was. */
import test from "ava";
import { updatesFixture } from "../testing/fixture.js";
import { npmRegistry } from "../testing/npm-registry.js";

interface ShownRun {
  readonly repo: string;
  readonly state: string;
  readonly reason: string | null;
  readonly outcomes: readonly {
    readonly name: string;
    readonly kind: string;
    readonly why?: string;
  }[];
}

const faults = [
  { name: "broken", answer: { status: 200, body: "<html>" }, says: /is invalid/ },
  { name: "ill", answer: { status: 502, body: "" }, says: /answered 502/ },
  {
    name: "forbidden",
    answer: { status: 403, body: "" },
    says: /refuses access with 403.*credential/,
  },
  { name: "gone", answer: { status: 404, body: "" }, says: /does not exist/ },
  {
    name: "busy",
    answer: { status: 429, headers: { "retry-after": "0" }, body: "" },
    says: /answered 429/,
  },
] as const;
const repositories = 20;

test("twenty repositories are updated although a registry fails for some packages", async (t) => {
  const packages = Object.fromEntries(faults.map(({ name }) => [name, { "1.0.0": {} }]));
  await using registry = await npmRegistry({
    ...packages,
    "left-foo": { "1.0.0": {}, "1.0.1": {} },
  });
  const at = await updatesFixture(t, {
    inside: `registry "npm_and_yarn" { url = "${registry.url}" }`,
  });
  registry.interrupt(({ url }) => faults.find(({ name }) => url === `/${name}`)?.answer);
  const failing = (index: number) => (index % 4 === 0 ? faults[index / 4] : undefined);
  for (let index = 0; index < repositories; index += 1) {
    const one = failing(index);
    const dependencies = { "left-foo": "1.0.0", ...(one ? { [one.name]: "1.0.0" } : {}) };
    const files = { "package.json": JSON.stringify({ name: "site", dependencies }) };
    await at.config(await at.repo(`r-${index}`, files));
  }
  const opened = await at.pulls(repositories);
  t.true(
    opened.every(({ attributes }) => attributes.title === "Bump left-foo from 1.0.0 to 1.0.1"),
  );
  let runs: readonly ShownRun[] = [];
  await at.plugin.until(async () => {
    ({ runs } = (await at.control("GET", "/runs?limit=100")) as { runs: readonly ShownRun[] });
    const over = runs.filter(({ state }) => state !== "running");
    return new Set(over.map(({ repo }) => repo)).size === repositories;
  }, "all runs");
  for (let index = 0; index < repositories; index += 1) {
    const run = runs.findLast(({ repo }) => repo === `acme/r-${index}`);
    const one = failing(index);
    t.is(run?.state, one ? "failed" : "succeeded", `r-${index}`);
    if (!one) continue;
    t.regex(run?.reason ?? "", one.says, one.name);
    const outcome = run?.outcomes.find(({ name }) => name === one.name);
    t.is(outcome?.kind, "failed");
    t.regex(outcome?.why ?? "", one.says);
  }
});
