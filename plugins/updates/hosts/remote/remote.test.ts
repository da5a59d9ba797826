/** GitHub, Gitea and GitLab, each by a small host that speaks its interface over real repositories. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import test, { type ExecutionContext } from "ava";
import { type PluginUnderTest, testPlugin } from "reeve/testing";
import plugin from "../../plugin.js";
import { type Forge, type ForgeKind, forge } from "../../testing/forge.js";
import { git } from "../../testing/house.js";
import { type NpmRegistry, npmRegistry } from "../../testing/npm-registry.js";

interface World {
  readonly host: Forge;
  readonly registry: NpmRegistry;
  readonly tested: PluginUnderTest;
  send(method: string, path: string, body?: unknown, token?: string): Promise<Response>;
}

const TOKEN = "forge-token-1";

async function world(t: ExecutionContext, kind: ForgeKind): Promise<World> {
  t.timeout(120_000);
  const [host, registry] = await Promise.all([
    forge(kind),
    npmRegistry({ "left-foo": { "2.0.0": {} } }),
  ]);
  const work = mkdtempSync(join(tmpdir(), "reeve-forge-work-"));
  mkdirSync(join(work, "site"));
  const site = join(work, "site");
  const manifest = { name: "site", version: "1.0.0", dependencies: { "left-foo": "2.0.0" } };
  writeFileSync(join(site, "package.json"), `${JSON.stringify(manifest, undefined, 2)}\n`);
  await git(site, "init", "--quiet", "--initial-branch=main");
  await git(site, "add", "--all");
  await git(site, "commit", "--quiet", "--message", "begin");
  await git(site, "push", "--quiet", host.place, "main");
  const tested = await testPlugin(plugin, {
    config: `updates "main" {
  listen = "127.0.0.1:0"
  host "${kind}" {
    url = "${host.url}"
    token = secret("env:FORGE_TOKEN")
  }
  registry "npm_and_yarn" { url = "${registry.url}" }
}
`,
    environment: { FORGE_TOKEN: TOKEN },
  });
  t.teardown(async () => {
    await tested.stop();
    await host[Symbol.asyncDispose]();
    await registry[Symbol.asyncDispose]();
    rmSync(work, { recursive: true, force: true });
  });
  const { url } = (await tested.control({ url: "/v1/updates" })).json() as { url: string };
  return {
    host,
    registry,
    tested,
    send: (method, path, body, token = TOKEN) =>
      fetch(`${url}${path}`, {
        method,
        headers: { authorization: `Personal ${token}`, "content-type": "application/json" },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
  };
}

const config = {
  "repo-id": 7,
  "account-id": "3",
  "account-type": "org",
  directory: "/",
  "update-schedule": "live",
  "package-manager": "npm_and_yarn",
  "automerge-rule-runtime-deps": "semver:patch",
};
const release = (at: World, version: string) =>
  at.send("POST", "/release_notifications/private", {
    ...{ name: "left-foo", version, "package-manager": "npm_and_yarn" },
  });

for (const kind of ["github", "gitea", "gitlab"] as const) {
  test.serial(
    `${kind}: a release becomes a branch, a pull request, and a merge when its check has passed`,
    async (t) => {
      const at = await world(t, kind);
      const { host, registry, tested } = at;
      const accounts = (await (await at.send("GET", "/accounts")).json()) as {
        data: readonly { attributes: Record<string, unknown> }[];
      };
      t.deepEqual(accounts.data.map(({ attributes }) => attributes["host-login"]).sort(), [
        "acme",
        "robot",
      ]);
      const listed = await at.send(
        "GET",
        "/repos?account-id=3&account-type=org&installation-state=inactive",
      );
      t.like(await listed.json(), { data: [{ attributes: { "host-id": 7, name: "site" } }] });
      t.is((await at.send("POST", "/update_configs", config)).status, 201);

      registry.publish("left-foo", "2.0.3");
      await release(at, "2.0.3");
      await tested.until(() => host.pulls[0]?.state === "merged", "the merge");
      t.is(host.pulls[0]?.title, "Bump left-foo from 2.0.0 to 2.0.3");
      const merged = JSON.parse(await host.git("show", "main:package.json"));
      t.deepEqual(merged.dependencies, { "left-foo": "2.0.3" });

      registry.publish("left-foo", "3.0.0");
      await release(at, "3.0.0");
      await tested.until(() => host.pulls[1]?.state === "open", "the second pull request");
      registry.publish("left-foo", "3.0.1");
      await release(at, "3.0.1");
      await tested.until(() => host.pulls[1]?.state === "closed", "the older one to be closed");
      t.deepEqual(host.pulls[1]?.comments, ["Superseded by #3."]);
      const heads = () =>
        host.git("for-each-ref", "--format=%(refname:short)", "refs/heads/dependabot");
      const last = "dependabot/npm_and_yarn/left-foo-3.0.1";
      await tested.until(async () => (await heads()) === last, "the other branches to go");
      t.is(host.pulls.length, 3);
    },
  );

  test.serial(`${kind}: without a check, or with one that fails, nothing is merged`, async (t) => {
    const at = await world(t, kind);
    const { host, registry, tested } = at;
    host.check = undefined;
    await at.send("POST", "/update_configs", config);
    registry.publish("left-foo", "2.0.1");
    await release(at, "2.0.1");
    const reason = async () => {
      const { data } = (await (await at.send("GET", "/pull_requests?state=open")).json()) as {
        data: readonly { attributes: Record<string, unknown> }[];
      };
      return String(data[0]?.attributes["automerge-reason"] ?? "");
    };
    await tested.until(async () => /No check/.test(await reason()), "the reason");
    host.check = "failure";
    registry.publish("left-foo", "2.0.2");
    await release(at, "2.0.2");
    await tested.until(
      async () => /check of the code host failed/.test(await reason()),
      "a reason",
    );
    t.is(await host.git("rev-list", "--count", "main"), "1");
  });
}

test.serial(
  "a token that may only read changes nothing, and one that is unknown sees nothing",
  async (t) => {
    const at = await world(t, "github");
    t.is((await at.send("POST", "/update_configs", config, "forge-token-2")).status, 403);
    t.is((await at.send("GET", "/accounts", undefined, "nobody")).status, 401);
  },
);

test.serial(
  "who a token is, is asked once a minute, and lists cost nothing while they stay the same",
  async (t) => {
    const at = await world(t, "github");
    await at.send("GET", "/accounts");
    await at.send("GET", "/accounts");
    t.is(at.host.log.filter((line) => line.startsWith("GET /user/orgs")).length, 2);
    t.is(at.host.log.filter((line) => line === "GET /user/orgs 304").length, 1);
  },
);

test.serial("a host that has had enough is told on, with the time to wait", async (t) => {
  const at = await world(t, "github");
  at.host.interruption = {
    status: 403,
    headers: { "x-ratelimit-remaining": "0", "retry-after": "17" },
  };
  const limited = await at.send("GET", "/accounts");
  t.is(limited.status, 429);
  t.is(limited.headers.get("retry-after"), "17");
  at.host.interruption = { status: 502, headers: {} };
  const down = await at.send("GET", "/accounts");
  t.is(down.status, 503);
  t.false((await down.text()).includes(TOKEN));
});
