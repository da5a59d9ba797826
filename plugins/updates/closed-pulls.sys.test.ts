/** What is offered after a pull request was closed, and what happens to those of removed configs. */
import test, { type ExecutionContext } from "ava";
import { git, type UpdatesFixture, updatesFixture } from "./testing/fixture.js";
import { type NpmRegistry, npmRegistry, type Packages } from "./testing/npm-registry.js";

const manifest = (dependencies: Record<string, string>): string =>
  `${JSON.stringify({ name: "site", private: true, dependencies }, undefined, 2)}\n`;

async function world(
  t: ExecutionContext,
  packages: Packages,
): Promise<{ readonly at: UpdatesFixture; readonly registry: NpmRegistry }> {
  const registry = await npmRegistry(packages);
  t.teardown(() => registry[Symbol.asyncDispose]());
  const inside = `registry "npm_and_yarn" { url = "${registry.url}" }`;
  return { at: await updatesFixture(t, { inside }), registry };
}

const titles = async (at: UpdatesFixture, count: number): Promise<readonly unknown[]> =>
  (await at.pulls(count, "state=open")).map(({ attributes }) => attributes.title).sort();

/** The decision about a dependency: `ignored`, or the offered version. */
async function decision(at: UpdatesFixture, config: string, name: string): Promise<string> {
  const path = `/update_configs/${config}/dependencies?name=${name}`;
  const { reason, to, why } = (await at.send("GET", path)).json.data[0].attributes;
  return reason === "ignored" ? why : to;
}

const close = (at: UpdatesFixture, pull: { readonly id: string } | undefined) =>
  at.send("PATCH", `/pull_requests/${pull?.id}`, { state: "closed" });

test.serial("closing a version refuses it and older ones until that is undone", async (t) => {
  const versions = { "1.0.0": {}, "1.1.0": {}, "1.2.0": {} };
  const { at, registry } = await world(t, { "left-foo": versions });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  const { id } = (await at.config(repo)).json.data;
  const [pull] = await at.pulls(1, "state=open");
  t.is((await close(at, pull)).json.data.attributes.reason, "by_user");
  t.is(await decision(at, id, "left-foo"), "The pull request for left-foo 1.2.0 was closed.");
  t.is((await at.send("POST", `/update_configs/${id}/runs`)).status, 202);
  await at.plugin.until(
    async () => (await at.send("GET", "/runs")).json.data[1]?.attributes.state === "succeeded",
    "the run",
  );
  t.is((await at.send("GET", "/pull_requests?state=open")).json.data.length, 0);

  const undone = await at.send("PATCH", `/pull_requests/${pull?.id}`, { state: "open" });
  t.is(undone.json.data.attributes.reason, "offered_again");
  t.deepEqual(await titles(at, 1), ["Bump left-foo from 1.0.0 to 1.2.0"]);
  const again = await at.send("PATCH", `/pull_requests/${pull?.id}`, { state: "open" });
  t.is(again.status, 200, "undoing twice changes nothing");

  const [second] = await at.pulls(1, "state=open");
  await close(at, second);
  registry.publish("left-foo", "1.2.1");
  await at.send("POST", "/release_notifications/private", {
    ...{ name: "left-foo", version: "1.2.1", "package-manager": "npm_and_yarn" },
  });
  t.deepEqual(await titles(at, 1), ["Bump left-foo from 1.0.0 to 1.2.1"]);
});

test.serial("closing a group refuses that set of versions", async (t) => {
  const versions = { "1.0.0": {}, "1.0.1": {}, "1.0.2": {} };
  const { at, registry } = await world(t, { "a-1": versions, "a-2": versions });
  await at.repo("site", {
    "package.json": manifest({ "a-1": "1.0.0", "a-2": "1.0.0" }),
    ".github/dependabot.yml": `version: 2
updates:
  - package-ecosystem: npm
    directory: /
    schedule: { interval: daily }
    groups: { all: { patterns: ["a-*"] } }
`,
  });
  const [pull] = await at.pulls(1, "state=open");
  await close(at, pull);
  const { id } = (
    await at.send("GET", "/repos?account-id=1&account-type=org&installation-state=active")
  ).json.included[0];
  const outcomes = async () =>
    (await at.send("GET", "/runs")).json.data[0].attributes.outcomes as readonly { why: string }[];
  t.is((await at.send("POST", `/update_configs/${id}/runs`)).status, 202);
  const why = "A pull request with a-1 1.0.2, a-2 1.0.2 was closed.";
  await at.plugin.until(
    async () => (await outcomes()).filter((each) => each.why === why).length === 2,
    "the reason",
  );
  t.is((await at.send("GET", "/pull_requests?state=open")).json.data.length, 0);
  registry.publish("a-1", "1.0.3");
  t.is((await at.send("POST", `/update_configs/${id}/runs`)).status, 202);
  const [next] = await at.pulls(1, "state=open");
  t.deepEqual(
    next?.attributes.dependencies.map(({ name, to }: { name: string; to: string }) => [name, to]),
    [
      ["a-1", "1.0.3"],
      ["a-2", "1.0.2"],
    ],
  );
});

test.serial("removing a config closes its pull requests and deletes their branches", async (t) => {
  const { at } = await world(t, { "left-foo": { "1.0.0": {}, "1.1.0": {} } });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  const { id } = (await at.config(repo)).json.data;
  await at.pulls(1, "state=open");
  t.is((await at.send("DELETE", `/update_configs/${id}?keep=perhaps`)).status, 400);
  t.is((await at.send("DELETE", `/update_configs/${id}`)).status, 204);
  const [closed] = await at.pulls(1, "state=closed");
  t.is(closed?.attributes.reason, "config_removed");
  t.is(await git(repo.bareDirectory, "for-each-ref", "refs/heads/dependabot"), "");
  // Reeve closed it, not a person: the version is offered again.
  await at.config(repo);
  t.deepEqual(await titles(at, 1), ["Bump left-foo from 1.0.0 to 1.1.0"]);
});

test.serial("kept pull requests are adopted by the next config, or closed by hand", async (t) => {
  const versions = { "1.0.0": {}, "1.1.0": {} };
  const packages = { "left-foo": versions, "@acme/right-foo": versions };
  const { at, registry } = await world(t, packages);
  const dependencies = { "left-foo": "1.0.0", "@acme/right-foo": "1.0.0" };
  const repo = await at.repo("site", {
    "package.json": manifest(dependencies),
    "app/package.json": manifest({ "left-foo": "1.0.0" }),
  });
  const { id } = (await at.config(repo)).json.data;
  const { id: app } = (await at.config(repo, { directory: "/app" })).json.data;
  const before = await at.pulls(3, "state=open");
  for (const each of [id, app])
    t.is((await at.send("DELETE", `/update_configs/${each}?keep=true`)).status, 204);
  t.is((await at.pulls(3, "state=open")).length, 3);

  registry.publish("left-foo", "1.2.0");
  const { id: next } = (await at.config(repo)).json.data;
  const replaced = [
    "Bump @acme/right-foo from 1.0.0 to 1.1.0",
    "Bump left-foo from 1.0.0 to 1.2.0",
  ];
  await at.plugin.until(
    async () =>
      (await at.send("GET", `/runs?update-config-id=${next}`)).json.data[0]?.attributes.state ===
      "succeeded",
    "the run",
  );
  t.deepEqual(
    await titles(at, 3),
    [...replaced, "Bump left-foo from 1.0.0 to 1.1.0 in /app"].sort(),
  );
  const [superseded] = await at.pulls(1, "state=closed");
  t.is(superseded?.attributes.reason, "superseded");

  const orphan = before.find(({ attributes }) => attributes["head-ref"].includes("/app/"));
  t.is((await close(at, orphan)).status, 200);
  t.deepEqual(await titles(at, 2), replaced);
});
