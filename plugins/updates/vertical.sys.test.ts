/** From a push to a merged update, with real parts: git over HTTP, a registry over HTTP, branches, records. */
import test, { type ExecutionContext } from "ava";
import { type UpdatesFixture, updatesFixture } from "./testing/fixture.js";
import { type NpmRegistry, npmRegistry } from "./testing/npm-registry.js";

const manifest = (dependencies: Record<string, string>): string =>
  `${JSON.stringify({ name: "site", version: "1.0.0", private: true, dependencies }, undefined, 2)}\n`;

async function world(
  t: ExecutionContext,
  inside = "",
): Promise<{ readonly at: UpdatesFixture; readonly registry: NpmRegistry }> {
  const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const at = await updatesFixture(t, {
    inside: `registry "npm_and_yarn" { url = "${registry.url}" }\n${inside}`,
  });
  return { at, registry };
}

const release = (at: UpdatesFixture, version: string) =>
  at.send("POST", "/release_notifications/private", {
    name: "left-foo",
    version,
    "package-manager": "npm_and_yarn",
  });

test("a release becomes a branch and a pull request", async (t) => {
  const { at, registry } = await world(t);
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "^2.0.0" }) });
  const created = await at.config(repo);
  t.is(created.status, 201, created.text);
  registry.publish("left-foo", "3.0.0");
  t.is((await release(at, "3.0.0")).status, 204);
  const [pull] = await at.pulls(1);
  t.like(pull?.attributes, {
    number: 1,
    state: "open",
    title: "Update left-foo requirement from ^2.0.0 to ^3.0.0",
    base: "main",
    "head-ref": "refs/heads/dependabot/npm_and_yarn/left-foo-tw-3.0.0",
  });
  await repo.git("fetch", "--quiet", "origin", "dependabot/npm_and_yarn/left-foo-tw-3.0.0");
  t.is(await repo.git("rev-parse", "FETCH_HEAD"), pull?.attributes["head-sha"]);
  const shown = await repo.git("show", "FETCH_HEAD:package.json");
  t.is(`${shown}\n`, manifest({ "left-foo": "^3.0.0" }));
  t.regex(await repo.git("log", "-1", "--format=%B", "FETCH_HEAD"), /dependency-name: left-foo/);
});

test("what the rules allow is merged, and the branch is gone", async (t) => {
  const { at, registry } = await world(t);
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "2.0.0" }) });
  await at.config(repo, { "automerge-rule-runtime-deps": "semver:patch" });
  registry.publish("left-foo", "2.0.3");
  await release(at, "2.0.3");
  const [pull] = await at.pulls(1, "state=merged");
  t.is(pull?.attributes.title, "Bump left-foo from 2.0.0 to 2.0.3");
  await repo.git("pull", "--quiet", "origin", "main");
  t.is(await repo.git("rev-parse", "HEAD"), pull?.attributes["merged-sha"]);
  t.is(await repo.git("ls-remote", "--heads", "origin", "dependabot/*"), "");
});

test("a newer release takes the place of an older one", async (t) => {
  const { at, registry } = await world(t);
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "2.0.0" }) });
  await at.config(repo);
  registry.publish("left-foo", "3.0.0");
  await release(at, "3.0.0");
  await at.pulls(1);
  registry.publish("left-foo", "3.0.1");
  await release(at, "3.0.1");
  await at.pulls(1, "state=closed");
  const pulls = (await at.pulls(2)).map(({ attributes }) => [
    attributes.number,
    attributes.state,
    attributes["superseded-by"],
  ]);
  t.deepEqual(pulls, [
    [2, "open", null],
    [1, "closed", 2],
  ]);
});
