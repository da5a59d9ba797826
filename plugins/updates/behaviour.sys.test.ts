/** What configs and accounts say about updates, over real parts. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { git, type UpdatesFixture, updatesFixture } from "./testing/fixture.js";
import { type NpmRegistry, npmRegistry, type Packages } from "./testing/npm-registry.js";

const manifest = (dependencies: Record<string, string>, more: object = {}): string =>
  `${JSON.stringify({ name: "site", private: true, dependencies, ...more }, undefined, 2)}\n`;

async function world(
  t: ExecutionContext,
  packages: Packages,
  inside = "",
): Promise<{ readonly at: UpdatesFixture; readonly registry: NpmRegistry }> {
  const registry = await npmRegistry(packages);
  t.teardown(() => registry[Symbol.asyncDispose]());
  const at = await updatesFixture(t, {
    inside: `registry "npm_and_yarn" { url = "${registry.url}" }\n${inside}`,
  });
  return { at, registry };
}

const names = (pulls: readonly { readonly attributes: Readonly<Record<string, unknown>> }[]) =>
  pulls.map(({ attributes }) => attributes.title).sort();

test.serial("with security-updates-only, only security fixes are made", async (t) => {
  const folder = mkdtempSync(join(tmpdir(), "reeve-osv-"));
  t.teardown(() => rmSync(folder, { recursive: true }));
  mkdirSync(join(folder, "npm"));
  const record = {
    id: "GHSA-1",
    summary: "A hole",
    affected: [
      {
        package: { ecosystem: "npm", name: "left-foo" },
        ranges: [{ type: "SEMVER", events: [{ introduced: "0" }, { fixed: "1.0.2" }] }],
      },
    ],
  };
  writeFileSync(join(folder, "npm", "GHSA-1.json"), JSON.stringify(record));
  const packages = {
    "left-foo": { "1.0.0": {}, "1.0.2": {}, "2.0.0": {} },
    "right-foo": { "1.0.0": {}, "2.0.0": {} },
  };
  const { at } = await world(t, packages, `advisories = "${folder}"`);
  const repo = await at.repo("site", {
    "package.json": manifest({ "left-foo": "1.0.0", "right-foo": "1.0.0" }),
  });
  await at.config(repo, {
    "security-updates-only": true,
    "automerge-rule-runtime-deps": "security:patch",
  });
  const pulls = await at.pulls(1, "state=merged");
  t.deepEqual(names(pulls), ["[Security] Bump left-foo from 1.0.0 to 1.0.2"]);
  t.is(pulls[0]?.attributes.security, true);
  t.deepEqual(pulls[0]?.attributes.labels, ["dependencies", "javascript", "security"]);
});

test.serial(
  "the first run opens five pull requests, patches first, within the limit",
  async (t) => {
    const all = Array.from({ length: 8 }, (_, index) => `p-${index}`);
    const packages = Object.fromEntries(
      all.map((name, index) => [name, { "1.0.0": {}, [index < 3 ? "2.0.0" : "1.0.1"]: {} }]),
    );
    const { at } = await world(t, packages);
    const repo = await at.repo("site", {
      "package.json": manifest(Object.fromEntries(all.map((name) => [name, "1.0.0"]))),
    });
    await at.config(repo);
    const pulls = await at.pulls(5);
    t.deepEqual(
      names(pulls),
      all.slice(3).map((name) => `Bump ${name} from 1.0.0 to 1.0.1`),
    );
    const [run] = (await at.send("GET", "/runs")).json.data;
    const waiting = run.attributes.outcomes.filter(
      ({ kind }: { kind: string }) => kind === "waiting",
    );
    t.is(waiting.length, 3);
    t.regex(waiting[0].why, /first run of a config opens 5/);
  },
);

test.serial("closed versions are not offered again, newer ones are", async (t) => {
  const { at, registry } = await world(t, { "left-foo": { "1.0.0": {}, "2.0.0": {} } });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  const { id } = (await at.config(repo)).json.data;
  const [pull] = await at.pulls(1, "state=open");
  const closed = await at.send("PATCH", `/pull_requests/${pull?.id}`, { state: "closed" });
  t.like(closed.json.data.attributes, { state: "closed", reason: "by_user" });
  const why = (await at.send("GET", `/update_configs/${id}/dependencies?name=left-foo`)).json;
  t.is(why.data[0].attributes.reason, "ignored");
  registry.publish("left-foo", "2.0.1");
  await at.send("POST", "/release_notifications/private", {
    ...{ name: "left-foo@2.0.1", "package-manager": "npm_and_yarn" },
  });
  t.deepEqual(names(await at.pulls(1, "state=open")), ["Bump left-foo from 1.0.0 to 2.0.1"]);
});

test.serial("a group of a config file is one pull request", async (t) => {
  const packages = { "a-1": { "1.0.0": {}, "1.0.1": {} }, "a-2": { "1.0.0": {}, "1.0.1": {} } };
  const { at } = await world(t, packages);
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
  const [pull] = await at.pulls(1);
  t.is(pull?.attributes.title, "Bump the all group with 2 updates");
  t.regex(pull?.attributes["head-ref"], /npm_and_yarn\/all-[0-9a-f]{10}$/);
});

test.serial("a number with a foreign ref is skipped", async (t) => {
  const packages = { "left-foo": { "1.0.0": {}, "2.0.0": {} }, "right-foo": { "1.0.0": {} } };
  const { at, registry } = await world(t, packages);
  const repo = await at.repo("site", {
    "package.json": manifest({ "left-foo": "1.0.0", "right-foo": "1.0.0" }),
  });
  for (const number of [1, 2, 4])
    await git(repo.bareDirectory, "update-ref", `refs/pull/${number}/head`, "refs/heads/main");
  await at.config(repo);
  const [first] = await at.pulls(1, "state=open");
  t.is(first?.attributes.number, 3);
  registry.publish("right-foo", "1.1.0");
  await at.send("POST", "/release_notifications/private", {
    ...{ name: "right-foo", version: "1.1.0", "package-manager": "npm_and_yarn" },
  });
  const numbers = (await at.pulls(2, "state=open")).map(({ attributes }) => attributes.number);
  t.deepEqual(numbers, [5, 3]);
  const main = await repo.git("rev-parse", "HEAD");
  for (const number of [1, 2, 4])
    t.is(await git(repo.bareDirectory, "rev-parse", `refs/pull/${number}/head`), main);
  t.is(
    await git(repo.bareDirectory, "rev-parse", "refs/pull/3/head"),
    first?.attributes["head-sha"],
  );
});

test.serial("a pull request merged by hand is recorded as merged, not closed", async (t) => {
  const { at } = await world(t, { "left-foo": { "1.0.0": {}, "2.0.0": {} } });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  await at.config(repo);
  const [pull] = await at.pulls(1, "state=open");
  await repo.git("fetch", "--quiet", "origin", "refs/pull/1/head");
  await repo.git("merge", "--quiet", "--ff-only", "FETCH_HEAD");
  await repo.git("push", "--quiet", "origin", "HEAD:main");
  const [merged] = await at.pulls(1, "state=merged");
  t.like(merged?.attributes, { number: 1, "merged-sha": pull?.attributes["head-sha"] });
});

test.serial("an open update is rebased when its base moves", async (t) => {
  const { at } = await world(t, { "left-foo": { "1.0.0": {}, "2.0.0": {} } });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  await at.config(repo);
  const [before] = await at.pulls(1);
  await repo.push({ "readme.txt": "more\n" }, "something else");
  const head = await repo.git("rev-parse", "HEAD");
  await at.plugin.until(async () => {
    const [now] = await at.pulls(1);
    return now?.attributes["head-sha"] !== before?.attributes["head-sha"];
  }, "another commit");
  await repo.git("fetch", "--quiet", "origin", "refs/pull/1/head");
  t.is(await repo.git("rev-parse", "FETCH_HEAD~1"), head);
});

test.serial("a branch with commits of others stays unchanged", async (t) => {
  const { at } = await world(t, { "left-foo": { "1.0.0": {}, "2.0.0": {} } });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  await at.config(repo);
  const [pull] = await at.pulls(1);
  const branch = String(pull?.attributes["head-ref"]).replace("refs/heads/", "");
  await repo.git("fetch", "--quiet", "origin", branch);
  await repo.git("checkout", "--quiet", "FETCH_HEAD");
  await repo.git("commit", "--quiet", "--allow-empty", "--message", "mine");
  const mine = await repo.git("rev-parse", "HEAD");
  await repo.git("push", "--quiet", "origin", `HEAD:${branch}`);
  await repo.git("checkout", "--quiet", "main");
  await repo.push({ "readme.txt": "more\n" });
  await at.plugin.until(async () => {
    const { data } = (await at.send("GET", "/runs")).json;
    return JSON.stringify(data).includes("commits of others");
  }, "a word about it");
  t.regex(await repo.git("ls-remote", "origin", branch), new RegExp(`^${mine}`));
});

test.serial("a registry that lags is queried again", async (t) => {
  const { at, registry } = await world(t, { "left-foo": { "1.0.0": {} } });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  await at.config(repo);
  await at.send("POST", "/release_notifications/private", {
    ...{ name: "left-foo", version: "1.0.1", "package-manager": "npm_and_yarn" },
  });
  await at.plugin.until(() => registry.log.length >= 2, "the first question");
  registry.publish("left-foo", "1.0.1");
  t.deepEqual(names(await at.pulls(1)), ["Bump left-foo from 1.0.0 to 1.0.1"]);
});

test.serial("a dry run lists the affected configs and changes nothing", async (t) => {
  const { at } = await world(t, { "left-foo": { "1.0.0": {} } });
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "^1.0.0" }) });
  await at.config(repo, { "automerge-rule-runtime-deps": "semver:patch" });
  const dry = await at.send("POST", "/release_notifications/private?dry-run=true", {
    ...{ name: "left-foo", version: "2.0.0", "package-manager": "npm_and_yarn" },
  });
  t.is(dry.status, 200, dry.text);
  t.like(dry.json.data[0].attributes, {
    repo: "acme/site",
    "in-range": false,
    diff: [{ file: "package.json", from: "^1.0.0", to: "^2.0.0" }],
    automerge: false,
  });
  t.deepEqual((await at.send("GET", "/pull_requests")).json.data, []);
});

test.serial("nothing merges automatically unless the check succeeds", async (t) => {
  const packages = { "left-foo": { "1.0.0": {}, "1.0.1": {} } };
  const check = 'check { run = ["sh", "-c", "grep -q 1.0.1 package.json && exit 3"] }';
  const { at } = await world(t, packages, check);
  const repo = await at.repo("site", { "package.json": manifest({ "left-foo": "1.0.0" }) });
  await at.config(repo, { "automerge-rule-runtime-deps": "all" });
  await at.plugin.until(async () => {
    const [pull] = await at.pulls(1);
    return pull?.attributes.checks === "failed";
  }, "the check to fail");
  await at.plugin.until(async () => {
    const [pull] = await at.pulls(1);
    return /exit code 3/.test(String(pull?.attributes["automerge-reason"]));
  }, "the reason");
  const [run] = await at.plugin.runs({ kind: "update-check" });
  t.is(run?.state, "failed");
});
