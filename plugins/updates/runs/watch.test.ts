/** What live configs depend on is watched: a release that nobody announces, and what it costs to wait for one. */
import test, { type ExecutionContext } from "ava";
import { FakeClock } from "reeve/testing";
import { type House, house } from "../testing/house.js";
import { type NpmRegistry, npmRegistry } from "../testing/npm-registry.js";

const minute = 60_000;
const MANIFEST = '{ "name": "site", "private": true, "dependencies": { "left-foo": "1.0.0" } }\n';

interface Scene {
  readonly at: House;
  readonly registry: NpmRegistry;
  readonly clock: FakeClock;
  /** How often the package was asked about while so many minutes passed. */
  asked(minutes: number): Promise<number>;
}

async function scene(t: ExecutionContext, schedule: string, inside = ""): Promise<Scene> {
  const registry = await npmRegistry({ "left-foo": { "1.0.0": {} } });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const clock = new FakeClock();
  const at = await house(t, {
    clock,
    inside: `registry "npm_and_yarn" { url = "${registry.url}" }\n${inside}`,
  });
  for (const name of ["one", "two"]) {
    const repo = await at.repo(name, { "package.json": MANIFEST });
    t.is((await at.config(repo, { "update-schedule": schedule })).status, 201);
  }
  const finished = async (): Promise<number> =>
    (await at.send("GET", "/runs")).json.data.filter(
      ({ attributes }: { attributes: { state: string } }) => attributes.state === "succeeded",
    ).length;
  await at.plugin.until(async () => (await finished()) === 2, "the first runs");
  return {
    ...{ at, registry, clock },
    asked: async (minutes) => {
      const before = registry.log.length;
      for (let passed = 0; passed < minutes; passed += 1) {
        await clock.advance(minute);
        // Questions take real time, which the clock does not know of.
        await new Promise((done) => setTimeout(done, 20));
      }
      return registry.log.length - before;
    },
  };
}

test.serial("a release that nobody announces reaches every live config", async (t) => {
  const { at, registry, asked } = await scene(t, "live");
  t.is(await asked(6), 1);
  registry.publish("left-foo", "1.1.0");
  await at.plugin.until(async () => {
    await asked(1);
    return (await at.send("GET", "/pull_requests")).json.data.length === 2;
  }, "a pull request for each");
});

test.serial(
  "a package that stays as it is costs less and less, and never a whole answer",
  async (t) => {
    const { registry, asked } = await scene(t, "live");
    await asked(60);
    const before = registry.log.length;
    const count = await asked(120);
    t.true(count >= 1 && count <= 3, `${count}`);
    t.deepEqual(
      registry.log.slice(before).filter((line) => !line.endsWith(" 304")),
      [],
    );
  },
);

for (const [what, schedule, inside] of [
  ["a config that is not live waits for its time", "monthly", ""],
  ["where watching is switched off nothing is asked", "live", "watch = 0s"],
] as const)
  test.serial(what, async (t) => {
    const { asked } = await scene(t, schedule, inside);
    t.is(await asked(30), 0);
  });
