/** The interface as clients of it meet it: every address, every refusal, over real sockets. */
import test, { type ExecutionContext } from "ava";
import {
  type Checkout,
  type Sent,
  type UpdatesFixture,
  updatesFixture,
} from "../testing/fixture.js";

const PACKAGE = '{ "name": "site", "private": true, "dependencies": {} }\n';

const config = (more: object) => ({
  "repo-id": 1,
  "account-id": "1",
  "account-type": "org",
  directory: "/",
  "update-schedule": "daily",
  "package-manager": "npm_and_yarn",
  ...more,
});
interface Site {
  readonly at: UpdatesFixture;
  readonly repo: Checkout;
}

async function site(t: ExecutionContext, inside = ""): Promise<Site> {
  const at = await updatesFixture(t, { inside });
  return { at, repo: await at.repo("site", { "package.json": PACKAGE }) };
}

const firstError = ({ json }: Sent) => json.errors[0];

test("accounts have every attribute of the reference", async (t) => {
  const at = await updatesFixture(t, {
    inside: `account "acme" {
      update_run_time = "07:30"
      weekly_update_run_day = "friday"
      create_merge_commits = true
    }`,
  });
  const { status, json, headers } = await at.send("GET", "/accounts");
  t.is(status, 200);
  t.is(headers.get("content-type"), "application/json; charset=utf-8");
  t.is(headers.get("x-content-type-options"), "nosniff");
  t.truthy(headers.get("x-request-id"));
  t.true(Number(headers.get("x-runtime")) > 0);
  t.is(json.data.length, 1);
  t.like(json.data[0], {
    id: "1",
    type: "accounts",
    attributes: {
      "host-id": 1,
      "host-login": "acme",
      "host-account-type": "org",
      "access-granted-to-all-repos": true,
      "current-installation-id": 1,
      "plan-name": "self-hosted",
      "plan-number": 0,
      "free-trial-end-date": null,
      "automatically-rebase-prs": true,
      "update-run-time": "07:30",
      "create-merge-commits": true,
      "weekly-update-run-day": "friday",
      "limit-initial-update-runs": true,
      "limit-open-pull-requests": true,
    },
  });
});

test("old clients get the names they know", async (t) => {
  const at = await updatesFixture(t, { inside: 'attribute_names = "github"' });
  const { attributes } = (await at.send("GET", "/accounts")).json.data[0];
  t.is(attributes["github-login"], "acme");
  t.false("host-login" in attributes);
});

test("a config is created, changed and removed", async (t) => {
  const { at, repo } = await site(t);
  const created = await at.config(repo, {
    "account-id": 1,
    "repo-id": String(repo.id),
    "update-schedule": "weekly",
    "automerge-rule-development-deps": "minor",
  });
  t.is(created.status, 201, created.text);
  const { id, type, attributes, relationships } = created.json.data;
  t.is(type, "update-configs");
  t.is(created.headers.get("location"), `${at.url}/update_configs/${id}`);
  t.like(attributes, {
    language: "javascript",
    "package-manager": "npm_and_yarn",
    "update-schedule": "weekly",
    directory: "/",
    "automerge-rule-runtime-deps": "never",
    "automerge-rule-development-deps": "semver:minor",
    "target-branch": null,
    "lockfile-only": false,
    "security-updates-only": false,
  });
  t.deepEqual(relationships, { repo: { data: { id: String(repo.id), type: "repos" } } });

  const again = await at.config(repo);
  t.is(again.status, 400);
  t.regex(firstError(again).detail, /already exists/);

  const changed = await at.send("PATCH", `/update_configs/${id}`, {
    "update-schedule": "daily",
    "lockfile-only": true,
  });
  t.is(changed.status, 200, changed.text);
  t.like(changed.json.data.attributes, { "update-schedule": "daily", "lockfile-only": true });
  t.is((await at.send("PATCH", `/update_configs/${id}`)).status, 200);
  t.is((await at.send("GET", `/update_configs/${id}`)).json.data.id, id);

  t.is((await at.send("DELETE", `/update_configs/${id}`)).status, 204);
  t.is((await at.send("DELETE", `/update_configs/${id}`)).status, 404);
});

test("a repository is active while it has a config", async (t) => {
  const { at, repo } = await site(t);
  const list = async (state: string) =>
    (
      await at.send(
        "GET",
        `/repos?account-id=1&account-type=org&installation-state=${state}&page=1`,
      )
    ).json;
  t.like((await list("inactive")).data[0], {
    id: String(repo.id),
    type: "repos",
    attributes: {
      "host-id": repo.id,
      name: "site",
      "installation-state": "inactive",
      private: true,
      fork: false,
      "host-url": `${at.url}/git/acme/site.git`,
      "default-branch": "main",
      "using-config-file": false,
    },
    relationships: {
      "update-configs": { data: [] },
      account: { data: { id: "1", type: "accounts" } },
    },
  });
  const { id } = (await at.config(repo)).json.data;
  t.deepEqual((await list("inactive")).data, []);
  const active = await list("active");
  t.deepEqual(active.data[0].relationships["update-configs"].data, [
    { id, type: "update-configs" },
  ]);
  t.is(active.included[0].id, id);
  await at.send("DELETE", `/update_configs/${id}`);
  t.deepEqual((await list("active")).data, []);
});

test("inactive repositories come in pages of 100", async (t) => {
  const at = await updatesFixture(t);
  for (let number = 0; number < 205; number += 1) {
    const name = `r-${String(number).padStart(3, "0")}`;
    await at.control("POST", "/repos", { login: "acme", name });
  }
  const page = async (number: number) => {
    const query = `account-id=1&account-type=org&installation-state=inactive&page=${number}`;
    const { data, meta } = (await at.send("GET", `/repos?${query}`)).json;
    return [data.length, data[0]?.attributes.name, meta.pages.next];
  };
  t.deepEqual(await page(1), [100, "r-000", 2]);
  t.deepEqual(await page(2), [100, "r-100", 3]);
  t.deepEqual(await page(3), [5, "r-200", null]);
  t.deepEqual(await page(4), [0, undefined, null]);
});

test("a token has its scope's permissions in its account", async (t) => {
  const { at, repo } = await site(t);
  const made = async (login: string, scope: string) =>
    ((await at.control("POST", "/tokens", { login, scope })) as { token: string }).token;
  await at.control("POST", "/accounts", { login: "other" });
  const as = (token: string) => ({ authorization: `Personal ${token}` });
  const body = config({ "repo-id": repo.id });
  const reading = as(await made("acme", "read"));
  t.is((await at.send("GET", "/accounts", undefined, reading)).json.data.length, 1);
  t.is((await at.send("POST", "/update_configs", body, reading)).status, 403);
  const other = as(await made("other", "admin"));
  t.is((await at.send("POST", "/update_configs", body, other)).status, 404);
  const { id } = (await at.config(repo)).json.data;
  t.is((await at.send("GET", `/update_configs/${id}`, undefined, other)).status, 404);
  t.is((await at.send("PATCH", `/update_configs/${id}`, {}, reading)).status, 403);
});

test("a bulk request creates each config on its own", async (t) => {
  const { at, repo } = await site(t);
  const body = [config({ "repo-id": repo.id }), config({ "repo-id": 99 })];
  const { status, json } = await at.send("POST", "/update_configs/bulk_create", body);
  t.is(status, 201);
  t.is(json.data.length, 1);
  t.like(json.errors, [{ status: 404, meta: { "repo-id": "99", index: 1 } }]);
});

test("a response keeps the spelling of the package manager", async (t) => {
  const at = await updatesFixture(t);
  const workflow = "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@v1\n";
  const repo = await at.repo("site", { ".github/workflows/ci.yml": workflow });
  const answer = await at.config(repo, { "package-manager": "github_actions" });
  t.is(answer.json.data.attributes["package-manager"], "github_actions");
});

test("everything is below the base path", async (t) => {
  const at = await updatesFixture(t, { inside: 'base_path = "/updates/"' });
  t.regex(at.url, /\/updates$/);
  t.is((await at.send("GET", "/accounts")).status, 200);
  t.is((await at.send("PUT", "/accounts")).status, 405);
  t.is((await fetch(at.url.replace("/updates", "/accounts"))).status, 404);
  await t.notThrowsAsync(at.repo("site", { "package.json": PACKAGE }));
});

test("cross-origin requests are allowed", async (t) => {
  const at = await updatesFixture(t);
  const answer = await fetch(`${at.url}/accounts`, { method: "OPTIONS" });
  t.is(answer.status, 204);
  t.is(answer.headers.get("access-control-allow-origin"), "*");
});

test("clone and push require a token", async (t) => {
  const { at } = await site(t);
  const refs = `${at.url}/git/acme/site.git/info/refs?service=git-`;
  t.is((await fetch(`${refs}upload-pack`)).status, 401);
  t.is((await fetch(`${refs}receive-pack`)).status, 401);
  const { token } = (await at.control("POST", "/tokens", { login: "acme", scope: "read" })) as {
    token: string;
  };
  const headers = { authorization: `Basic ${Buffer.from(`x:${token}`).toString("base64")}` };
  t.is((await fetch(`${refs}upload-pack`, { headers })).status, 200);
  t.is((await fetch(`${refs}receive-pack`, { headers })).status, 403);
  t.is((await fetch(`${at.url}/git/acme/site.git/config`, { headers })).status, 404);
});
