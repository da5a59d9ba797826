/** Fields that are refused or can be read back, pull requests in outcomes, and times that follow the account's settings. */
import test from "ava";
import { FakeClock } from "reeve/testing";
import { updatesFixture } from "../testing/fixture.js";
import { npmRegistry } from "../testing/npm-registry.js";

const PACKAGE = '{ "name": "site", "private": true, "dependencies": { "left-foo": "1.0.0" } }\n';

test("an empty directory is refused, and the limit of pull requests can be read", async (t) => {
  const at = await updatesFixture(t);
  const repo = await at.repo("site", { "package.json": '{ "private": true }\n' });
  for (const directory of ["", " "]) {
    const refused = await at.config(repo, { directory });
    t.is(refused.status, 400);
    t.like(refused.json.errors[0], { source: { pointer: "/directory" } });
  }
  const made = await at.config(repo, { "open-pull-requests-limit": 3 });
  t.is(made.json.data.attributes["open-pull-requests-limit"], 3);
  const path = `/update_configs/${made.json.data.id}`;
  t.is((await at.send("GET", path)).json.data.attributes["open-pull-requests-limit"], 3);
});

test("a Java package is named by group and artifact", async (t) => {
  const at = await updatesFixture(t);
  const notify = (name: string) =>
    at.send("POST", "/release_notifications/private", {
      ...{ name, version: "1.0", "package-manager": "maven" },
    });
  for (const name of ["left-foo", "com.acme:", ":left-foo", "a:b:c"]) {
    const refused = await notify(name);
    t.is(refused.status, 400, name);
    t.like(refused.json.errors[0], { code: "invalid", source: { pointer: "/name" } });
  }
  t.is((await notify("com.acme:left-foo")).status, 204);
});

test("outcomes name a pull request by its id and its number", async (t) => {
  const registry = await npmRegistry({ "left-foo": { "1.0.0": {}, "1.1.0": {} } });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const inside = `registry "npm_and_yarn" { url = "${registry.url}" }`;
  const at = await updatesFixture(t, { inside });
  // The first pull request of the second repository has the number 1 again.
  for (const name of ["first", "second"]) {
    const repo = await at.repo(name, { "package.json": PACKAGE });
    const { id } = (await at.config(repo)).json.data;
    const [pull] = await at.pulls(1, `state=open&update-config-id=${id}`);
    const outcome = async () =>
      (await at.send("GET", `/runs?update-config-id=${id}`)).json.data[0]?.attributes.outcomes[0];
    await at.plugin.until(async () => (await outcome())?.pull !== undefined, "the outcome");
    t.like(await outcome(), { pull: Number(pull?.id), number: 1 });
    const preview = await at.send("GET", `/update_configs/${id}/dependencies?name=left-foo`);
    t.like(preview.json.data[0].attributes, { pull: Number(pull?.id), number: 1 });
  }
});

test("a repository of the folder has a primary language", async (t) => {
  const at = await updatesFixture(t);
  const repo = await at.repo("site", {
    "package.json": PACKAGE,
    "a.ts": "",
    "b.ts": "",
    "c.js": "",
  });
  const path = "/repos?account-id=1&account-type=org&installation-state=inactive";
  const language = async () =>
    (await at.send("GET", path)).json.data[0].attributes["primary-language"];
  t.is(await language(), "typescript");
  await repo.push({ "d.rb": "", "e.rb": "", "f.rb": "" });
  await at.plugin.until(async () => (await language()) === "ruby", "the other language");
});

test("a changed run time moves the next run of existing configs", async (t) => {
  const clock = new FakeClock(Date.UTC(2026, 0, 1, 6));
  const at = await updatesFixture(t, { clock });
  const repo = await at.repo("site", { "package.json": '{ "private": true }\n' });
  const made = await at.config(repo, { "update-schedule": "daily" });
  t.is(made.json.data.attributes["next-run-at"], "2026-01-02T05:00:00.000Z");
  const changed = `updates "main" {
  listen = "127.0.0.1:0"
  repositories = "./repositories"
  account "acme" { update_run_time = "07:30" }
}
`;
  await at.plugin.reload(changed);
  const next = async () => {
    const { configs } = (await at.control("GET", "/configs")) as {
      configs: readonly { "next-run-at": string }[];
    };
    return configs[0]?.["next-run-at"];
  };
  await at.plugin.until(async () => (await next()) === "2026-01-01T07:30:00.000Z", "the new time");
});
