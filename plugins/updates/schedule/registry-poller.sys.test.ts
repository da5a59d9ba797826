/** Without any announcement: a real registry is watched while a fake clock goes on. */
import test, { type ExecutionContext } from "ava";
import { FakeClock } from "reeve/testing";
import { type UpdatesFixture, updatesFixture } from "../testing/fixture.js";
import { type NpmRegistry, npmRegistry, type Packages } from "../testing/npm-registry.js";

const minute = 60_000;

interface Scene {
  readonly at: UpdatesFixture;
  readonly registry: NpmRegistry;
  readonly clock: FakeClock;
  /** Lets so many minutes pass, and what they wake come to its end. */
  pass(minutes: number): Promise<void>;
  /** The requests since the last call. */
  requests(): readonly string[];
}

async function scene(t: ExecutionContext, packages: Packages): Promise<Scene> {
  const registry = await npmRegistry(packages);
  t.teardown(() => registry[Symbol.asyncDispose]());
  const clock = new FakeClock();
  const inside = `registry "npm_and_yarn" { url = "${registry.url}" }`;
  const at = await updatesFixture(t, { inside, clock });
  return {
    at,
    registry,
    clock,
    pass: (minutes) => clock.advance(minutes * minute),
    requests: () => registry.log.splice(0).filter((line) => /^GET \/[\w-]+ /.test(line)),
  };
}

const manifest = (name: string): Readonly<Record<string, string>> => ({
  "package.json": JSON.stringify({ name, dependencies: { "left-foo": "1.0.0" } }),
});

test.serial("an unannounced release is found, with one request for all its users", async (t) => {
  const { at, registry, pass, requests } = await scene(t, { "left-foo": { "1.0.0": {} } });
  for (const name of ["one", "two"]) await at.config(await at.repo(name, manifest(name)));
  await at.plugin.until(
    async () => (await at.send("GET", "/runs")).json.data.length === 2,
    "the first runs",
  );
  requests();
  await pass(12);
  const quiet = requests();
  t.true(quiet.length >= 1 && quiet.length <= 4, quiet.join());
  t.true(
    quiet.every((line) => line === "GET /left-foo 304"),
    "nothing is sent again that has not changed",
  );
  registry.publish("left-foo", "1.0.1");
  await pass(12);
  const pulls = await at.pulls(2);
  t.deepEqual(
    pulls.map(({ attributes }) => attributes.title),
    ["Bump left-foo from 1.0.0 to 1.0.1", "Bump left-foo from 1.0.0 to 1.0.1"],
  );
  const [run] = (await at.send("GET", "/runs")).json.data;
  t.is(run.attributes.trigger, "release of left-foo");
});

test.serial("a config that is not live waits for its day, without polling", async (t) => {
  const { at, registry, pass, requests } = await scene(t, { "left-foo": { "1.0.0": {} } });
  await at.config(await at.repo("site", manifest("site")), { "update-schedule": "monthly" });
  await at.plugin.until(
    async () => (await at.send("GET", "/runs")).json.data[0]?.attributes.state === "succeeded",
    "the first run",
  );
  requests();
  registry.publish("left-foo", "1.0.1");
  await pass(15);
  t.deepEqual(requests(), []);
  t.is((await at.send("GET", "/pull_requests")).json.data.length, 0);
});

test.serial("a registry that announces its releases is not watched", async (t) => {
  const { at, registry, pass, requests } = await scene(t, { "left-foo": { "1.0.0": {} } });
  await at.config(await at.repo("site", manifest("site")));
  await at.plugin.until(
    async () => (await at.send("GET", "/runs")).json.data[0]?.attributes.state === "succeeded",
    "the first run",
  );
  await pass(1);
  registry.publish("left-foo", "1.0.1");
  await at.send("POST", "/release_notifications/private", {
    ...{ name: "left-foo", version: "1.0.1", "package-manager": "npm_and_yarn" },
  });
  await at.pulls(1);
  requests();
  await pass(15);
  t.deepEqual(requests(), []);
});

test.serial("a rate-limited registry is polled later", async (t) => {
  const { at, registry, pass, requests } = await scene(t, { "left-foo": { "1.0.0": {} } });
  await at.config(await at.repo("site", manifest("site")));
  await at.plugin.until(
    async () => (await at.send("GET", "/runs")).json.data[0]?.attributes.state === "succeeded",
    "the first run",
  );
  requests();
  registry.interrupt(() => ({ status: 429, headers: { "retry-after": "1800" } }));
  registry.publish("left-foo", "1.0.1");
  await pass(20);
  const refused = requests();
  t.deepEqual(refused, ["GET /left-foo 429"]);
  registry.interrupt(undefined);
  await pass(20);
  t.is((await at.pulls(1))[0]?.attributes.title, "Bump left-foo from 1.0.0 to 1.0.1");
});
