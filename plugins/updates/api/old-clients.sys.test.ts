/** Requests as clients of the service that was shut down still send them: raw, odd, and answered as they expect. */
import test, { type ExecutionContext } from "ava";
import { type Checkout, type UpdatesFixture, updatesFixture } from "../testing/fixture.js";

interface Site {
  readonly at: UpdatesFixture;
  readonly repo: Checkout;
  /** With these ids and this body, word for word. */
  post(body: string): Promise<Response>;
}

async function site(t: ExecutionContext, inside = ""): Promise<Site> {
  const at = await updatesFixture(t, { inside });
  const repo = await at.repo("site", {
    "package.json": '{ "name": "site", "private": true, "dependencies": {} }\n',
    ".github/workflows/ci.yml":
      "on: push\njobs:\n  a:\n    runs-on: x\n    steps:\n      - uses: a/b@v1\n",
  });
  const headers = {
    authorization: `Personal ${at.token}`,
    "content-type": "application/json; charset=utf-8",
    accept: "*/*",
    "user-agent": "old-client/1.0",
  };
  const post = (body: string) =>
    fetch(`${at.url}/update_configs`, { method: "POST", headers, body });
  return { at, repo, post };
}

const importing = (repo: Checkout, more = ""): string =>
  `{"repo-id":"${repo.id}","package-manager":"npm_and_yarn","update-schedule":"daily","directory":"/","account-id":1,"account-type":"org"${more}}`;

test("an import script relies on the status, its reason, and the text for duplicates", async (t) => {
  const { repo, post } = await site(t);
  const made = await post(importing(repo));
  t.is(made.status, 201);
  t.is(made.statusText, "Created");
  const again = await post(importing(repo));
  t.is(again.status, 400);
  t.true((await again.text()).includes("already exists"));
});

test("a library sends attributes beyond the reference, and receives them", async (t) => {
  const { at, repo, post } = await site(t);
  const more = ',"automerge-whitelist":["left-foo"],"update-subdependencies":true';
  const made = (await (await post(importing(repo, more))).json()) as {
    data: { id: string; attributes: object };
  };
  t.like(made.data.attributes, {
    "automerge-whitelist": ["left-foo"],
    "update-subdependencies": true,
  });
  // Only what changes, without any envelope.
  const path = `/update_configs/${made.data.id}`;
  const changed = await at.send("PATCH", path, '{"requirements-update-strategy":"widen_ranges"}');
  t.is(changed.status, 200, changed.text);
  t.like(changed.json.data.attributes, {
    "requirements-update-strategy": "widen_ranges",
    "update-schedule": "daily",
    "automerge-whitelist": ["left-foo"],
  });
  // As the reference's own example has it: the last one counts.
  const twice = await at.send(
    "PATCH",
    path,
    '{"update-schedule":"live","update-schedule":"weekly"}',
  );
  t.is(twice.json.data.attributes["update-schedule"], "weekly");
  t.is((await at.send("GET", path)).json.data.attributes["update-schedule"], "weekly");
});

const rules: ReadonlyArray<readonly [older: string, now: string]> = [
  ["never", "never"],
  ["security", "security:patch"],
  ["patch", "semver:patch"],
  ["minor", "semver:minor"],
];
test("old spellings of rules keep their meaning", async (t) => {
  const { at, repo } = await site(t);
  const { id } = (await at.config(repo)).json.data;
  for (const [older, now] of rules) {
    const sent = { "automerge-rule-runtime-deps": older, "automerge-rule-development-deps": older };
    const { attributes } = (await at.send("PATCH", `/update_configs/${id}`, sent)).json.data;
    t.is(attributes["automerge-rule-runtime-deps"], now);
    t.is(attributes["automerge-rule-development-deps"], now);
  }
});

test("a response keeps the spelling of the manager", async (t) => {
  const { at, repo } = await site(t);
  const made = await at.config(repo, { "package-manager": "github_actions" });
  t.is(made.status, 201, made.text);
  t.is(made.json.data.attributes["package-manager"], "github_actions");
  const again = await at.config(repo, { "package-manager": "host_actions" });
  t.regex(again.text, /already exists/);
});

test("a token is accepted with every spelling of the scheme", async (t) => {
  const { at } = await site(t);
  for (const scheme of ["Personal", "personal", "PERSONAL", "Bearer"]) {
    const answer = await at.send("GET", "/accounts", undefined, {
      authorization: `${scheme} ${at.token}`,
    });
    t.is(answer.status, 200, scheme);
  }
});

test("a dashboard of another origin sends a page with every listing", async (t) => {
  const { at, repo } = await site(t);
  await at.config(repo);
  const query = "account-id=1&account-type=org&installation-state=active&page=1";
  const answer = await at.send("GET", `/repos?${query}`, undefined, {
    origin: "https://app.example.test",
  });
  t.is(answer.status, 200);
  t.is(answer.json.data.length, 1);
  t.is(answer.headers.get("access-control-allow-origin"), "*");
});

test("names of both spellings for clients of both", async (t) => {
  const { at } = await site(t, 'attribute_names = "both"');
  const { attributes } = (await at.send("GET", "/accounts")).json.data[0];
  t.is(attributes["host-login"], "acme");
  t.is(attributes["github-login"], "acme");
  t.is(attributes["github-account-type"], "org");
});

const notifications: ReadonlyArray<readonly [sender: string, body: string]> = [
  ["a release script", '{"name":"left-foo","version":"2.0.3","package-manager":"npm_and_yarn"}'],
  ["a registry's template", '{"name":"left-foo@2.0.3","package-manager":"npm_and_yarn"}'],
  ["a scope's", '{"name":"@acme/foo@2.0.3","package-manager":"npm_and_yarn"}'],
  ["an unused package", '{"name":"nothing","version":"1","package-manager":"npm_and_yarn"}'],
  ["a build that wants all looked at", '{"name":"left-foo","package-manager":"npm_and_yarn"}'],
];
test("an announcement is answered with 204 and nothing else", async (t) => {
  const { at, repo } = await site(t);
  await at.config(repo);
  for (const [sender, body] of notifications) {
    const answer = await at.send("POST", "/release_notifications/private", body);
    t.is(answer.status, 204, `${sender}: ${answer.text}`);
    t.is(answer.text, "", sender);
  }
});
