/** What limits, merges and rules of single dependencies come to, over real parts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { FakeClock } from "reeve/testing";
import {
  git,
  type UpdatesFixture,
  type UpdatesFixtureOptions,
  updatesFixture,
} from "./testing/fixture.js";
import { type NpmRegistry, npmRegistry, type Packages } from "./testing/npm-registry.js";

const manifest = (dependencies: Record<string, string>): string =>
  `${JSON.stringify({ name: "site", private: true, dependencies }, undefined, 2)}\n`;

async function world(
  t: ExecutionContext,
  packages: Packages,
  { inside = "", ...more }: UpdatesFixtureOptions = {},
): Promise<{ readonly at: UpdatesFixture; readonly registry: NpmRegistry }> {
  const registry = await npmRegistry(packages);
  t.teardown(() => registry[Symbol.asyncDispose]());
  const at = await updatesFixture(t, {
    inside: `registry "npm_and_yarn" { url = "${registry.url}" }\n${inside}`,
    ...more,
  });
  return { at, registry };
}

const notify = (at: UpdatesFixture, name: string, version: string): Promise<unknown> =>
  at.send("POST", "/release_notifications/private", {
    ...{ name, version, "package-manager": "npm_and_yarn" },
  });

const titles = async (
  at: UpdatesFixture,
  count: number,
  state: string,
): Promise<readonly unknown[]> =>
  (await at.pulls(count, `state=${state}`)).map(({ attributes }) => attributes.title).sort();

/** What the last run says of a dependency. */
async function outcome(
  at: UpdatesFixture,
  name: string,
): Promise<Readonly<Record<string, unknown>>> {
  const [run] = (await at.send("GET", "/runs")).json.data;
  return run?.attributes.outcomes.find((each: { name: string }) => each.name === name) ?? {};
}

test.serial("a replacement opens beyond the limit, a new pull request does not", async (t) => {
  const { at, registry } = await world(
    t,
    { "left-foo": { "1.0.0": {}, "2.0.0": {} }, "right-foo": { "1.0.0": {} } },
    { inside: 'account "acme" { open_pull_requests_limit = 1 }' },
  );
  const repo = await at.repo("site", {
    "package.json": manifest({ "left-foo": "1.0.0", "right-foo": "1.0.0" }),
  });
  await at.config(repo);
  await at.pulls(1, "state=open");
  registry.publish("right-foo", "2.0.0");
  await notify(at, "right-foo", "2.0.0");
  await at.plugin.until(
    async () => (await outcome(at, "right-foo")).reason === "open_limit",
    "the limit",
  );
  registry.publish("left-foo", "3.0.0");
  await notify(at, "left-foo", "3.0.0");
  t.deepEqual(await titles(at, 1, "closed"), ["Bump left-foo from 1.0.0 to 2.0.0"]);
  t.deepEqual(await titles(at, 1, "open"), ["Bump left-foo from 1.0.0 to 3.0.0"]);
});

for (const [what, inside, parents] of [
  ["moves the base forward to the update", "", 1],
  ["makes a commit of two parents", 'account "acme" { create_merge_commits = true }', 2],
] as const)
  test.serial(`a merge ${what}`, async (t) => {
    const { at } = await world(t, { "left-foo": { "1.0.0": {}, "1.0.1": {} } }, { inside });
    const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
    await at.config(repo, { "automerge-rule-runtime-deps": "semver:patch" });
    const [pull] = await at.pulls(1, "state=merged");
    const [, ...others] = (
      await git(repo.bareDirectory, "rev-list", "--parents", "-1", "main")
    ).split(" ");
    t.is(others.length, parents);
    const head = pull?.attributes["head-sha"];
    t.is(await git(repo.bareDirectory, "rev-parse", parents === 1 ? "main" : "main^2"), head);
  });

test.serial("merges happen in working hours", async (t) => {
  const clock = new FakeClock(Date.parse("2026-11-23T06:45:00Z"));
  const inside = 'account "acme" { working_hours = ["monday 09:00-17:00"] }';
  const { at } = await world(t, { "left-foo": { "1.0.0": {}, "1.0.1": {} } }, { inside, clock });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  await at.config(repo, { "automerge-rule-runtime-deps": "semver:patch" });
  await at.plugin.until(async () => {
    const [pull] = await at.pulls(1);
    return pull?.attributes["automerge-reason"] === "It will be merged in working hours.";
  }, "the wait");
  t.is(await git(repo.bareDirectory, "rev-list", "--count", "main"), "1");
  await at.plugin.until(async () => {
    await clock.advance(30 * 60_000);
    return (await at.pulls(1))[0]?.attributes.state === "merged";
  }, "Monday morning");
  t.is(new Date(clock.now()).getUTCHours(), 9);
});

test.serial("updates with rebasing disabled keep their base", async (t) => {
  const { at } = await world(t, { "left-foo": { "1.0.0": {}, "2.0.0": {} } });
  const repo = await at.repo("site", {
    "package.json": manifest({ "left-foo": "1.0.0" }),
    ".github/dependabot.yml":
      "version: 2\nupdates:\n  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: daily }\n    rebase-strategy: disabled\n    pull-request-branch-name: { separator: '-' }\n",
  });
  const [before] = await at.pulls(1);
  t.is(before?.attributes["head-ref"], "refs/heads/dependabot-npm_and_yarn-left-foo-2.0.0");
  await repo.push({ "readme.txt": "more\n" }, "something else");
  await at.plugin.until(
    async () => (await outcome(at, "left-foo")).reason === "base_moved",
    "a word about it",
  );
  t.is((await at.pulls(1))[0]?.attributes["head-sha"], before?.attributes["head-sha"]);
});

test.serial(
  "a dependency that a file allows for security only gets security fixes only",
  async (t) => {
    const folder = mkdtempSync(join(tmpdir(), "reeve-osv-"));
    t.teardown(() => rmSync(folder, { recursive: true }));
    mkdirSync(join(folder, "npm"));
    const affected = (name: string) => ({
      package: { ecosystem: "npm", name },
      ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.0.2" }] }],
    });
    const record = { id: "GHSA-1", summary: "A hole", affected: [affected("left-foo")] };
    writeFileSync(join(folder, "npm", "GHSA-1.json"), JSON.stringify(record));
    const versions = { "1.0.0": {}, "1.0.2": {}, "2.0.0": {} };
    const names = ["left-foo", "left-bar", "right-foo"];
    const { at } = await world(t, Object.fromEntries(names.map((name) => [name, versions])), {
      inside: `advisories = "${folder}"`,
    });
    await at.repo("site", {
      "package.json": manifest(Object.fromEntries(names.map((name) => [name, "1.0.0"]))),
      ".dependabot/config.yml": `version: 1
update_configs:
  - package_manager: javascript
    directory: /
    update_schedule: daily
    allowed_updates:
      - match: { dependency_name: "left-*", update_type: security }
`,
    });
    t.deepEqual(await titles(at, 1, "open"), ["[Security] Bump left-foo from 1.0.0 to 1.0.2"]);
    t.is((await outcome(at, "left-bar")).reason, "not_vulnerable");
    t.deepEqual(await outcome(at, "right-foo"), {});
  },
);
