/** What a pull request tells of a package that is made in a repository of the same instance, or of the same code host. */
import test, { type ExecutionContext } from "ava";
import { type UpdatesFixture, updatesFixture } from "../../testing/fixture.js";
import { config, release, shown, world } from "../../testing/forge-fixture.js";
import { type NpmRegistry, npmRegistry } from "../../testing/npm-registry.js";

const CHANGELOG = "# Changes\n\n## 2.1.0\n\n- counts to four\n\n## 2.0.0\n\n- counts to three\n";

interface Scene {
  readonly registry: NpmRegistry;
  readonly tested: UpdatesFixture;
}

/** `left-foo` is made in `acme/left-foo`, and used in `acme/site`. */
async function scene(t: ExecutionContext): Promise<Scene> {
  const registry = await npmRegistry({ "left-foo": { "2.0.0": {} } });
  const tested = await updatesFixture(t, {
    inside: `registry "npm_and_yarn" { url = "${registry.url}" }`,
  });
  t.teardown(() => registry[Symbol.asyncDispose]());
  const source = await tested.repo("left-foo", { "CHANGELOG.md": "# Changes\n" });
  await source.git("tag", "--annotate", "--message", "The first", "v2.0.0");
  await source.push({ "index.js": "4\n" }, "Count to four, see #7");
  await source.push({ "CHANGELOG.md": CHANGELOG }, "Tell of it");
  await source.git("tag", "--annotate", "--message", "Four is more than three.", "v2.1.0");
  await source.git("push", "--quiet", "--tags", "origin");
  const site = await tested.repo("site", {
    "package.json": `{ "name": "site", "dependencies": { "left-foo": "2.0.0" } }\n`,
  });
  await tested.config(site);
  return { registry, tested };
}

async function bodyAfter({ registry, tested }: Scene, repository: string): Promise<string> {
  registry.publish("left-foo", "2.1.0", { repository: { url: repository } });
  await tested.send("POST", "/release_notifications/private", {
    ...{ name: "left-foo", version: "2.1.0", "package-manager": "npm_and_yarn" },
  });
  const [pull] = await tested.pulls(1);
  return String(pull?.attributes.body);
}

test.serial(
  "the notes contain the tag's message, the changelog and the commits in between",
  async (t) => {
    const at = await scene(t);
    const body = await bodyAfter(at, `git+${at.tested.url}/git/acme/left-foo.git`);
    t.regex(body, /Four is more than three\./);
    t.regex(body, /- counts to four/);
    t.notRegex(body, /counts to three|The first/);
    t.regex(body, /`[0-9a-f]{7}` Count to four, see #\u200b7/);
  },
);

const elsewhere: ReadonlyArray<readonly [what: string, address: (url: string) => string]> = [
  ["is not here", () => "https://git.example.test/acme/left-foo"],
  ["does not exist", (url) => `${url}/git/acme/nothing.git`],
  ["is no address", () => "somewhere"],
];
for (const [what, address] of elsewhere)
  test.serial(
    `of a repository that ${what}, there are no notes, and the update opens`,
    async (t) => {
      const at = await scene(t);
      const body = await bodyAfter(at, address(at.tested.url));
      t.regex(body, /^Bumps left-foo from 2\.0\.0 to 2\.1\.0\./);
      t.notRegex(body, /details/);
    },
  );

test.serial("notes of another account's private repository are withheld", async (t) => {
  const at = await scene(t);
  const { tested, registry } = at;
  await tested.control("POST", "/accounts", { login: "other" });
  const { token } = (await tested.control("POST", "/tokens", { login: "other" })) as {
    token: string;
  };
  const made = (await tested.control("POST", "/repos", { login: "other", name: "app" })) as {
    id: number;
  };
  t.truthy(made.id);
  const app = `${tested.url.replace("://", `://x:${token}@`)}/git/other/app.git`;
  const manifest = `{ "name": "app", "dependencies": { "left-foo": "2.0.0" } }\n`;
  const site = await tested.repo("app-source", { "package.json": manifest });
  await site.git("push", "--quiet", app, "HEAD:main");
  registry.publish("left-foo", "2.1.0", {
    repository: { url: `${tested.url}/git/acme/left-foo.git` },
  });
  const headers = { authorization: `Personal ${token}` };
  const { json } = await tested.send("GET", "/accounts", undefined, headers);
  const created = await tested.send(
    "POST",
    "/update_configs",
    {
      ...{ "repo-id": made.id, "account-id": json.data[0].attributes["host-id"] },
      ...{ "account-type": "org", directory: "/", "update-schedule": "live" },
      "package-manager": "npm_and_yarn",
    },
    headers,
  );
  t.is(created.status, 201);
  const announced = { name: "left-foo", version: "2.1.0", "package-manager": "npm_and_yarn" };
  await tested.send("POST", "/release_notifications/private", announced, headers);
  let body = "";
  await tested.plugin.until(async () => {
    const pulls = await tested.send("GET", "/pull_requests", undefined, headers);
    body = String(pulls.json.data[0]?.attributes.body ?? "");
    return body !== "";
  }, "the pull request of the other account");
  t.notRegex(body, /Four is more/);
});

for (const kind of ["github", "gitea", "gitlab"] as const)
  test.serial(
    `${kind}: releases and commits of public repositories on the same host are included`,
    async (t) => {
      const at = await world(t, kind);
      const origin = new URL(at.host.url).origin;
      at.host.released.set("acme/left-foo v2.1.0", { notes: "Four is more.", commits: ["Count"] });
      at.host.released.set("secret/thing v2.2.0", { notes: "Five is more.", commits: [] });
      await at.send("POST", "/update_configs", config);
      at.registry.publish("left-foo", "2.1.0", { repository: { url: `${origin}/acme/left-foo` } });
      await release(at, "2.1.0");
      await shown(at, 1);
      t.regex(at.host.pulls[0]?.body ?? "", /Four is more\..*Count.*@reeve rebase/s);
      const page = `${origin}/acme/left-foo${kind === "gitlab" ? "/-" : ""}/compare/2.0.0...2.1.0`;
      t.regex(
        (at.host.pulls[0]?.body ?? "").replaceAll("v2", "2"),
        new RegExp(`\\(${page.replaceAll(".", "\\.")}\\)`),
      );
      at.registry.publish("left-foo", "2.2.0", { repository: { url: `${origin}/secret/thing` } });
      await release(at, "2.2.0");
      await shown(at, 2);
      t.notRegex(at.host.pulls[1]?.body ?? "", /Five is more/);
    },
  );
