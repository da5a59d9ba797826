/** GitHub, Gitea and GitLab, each by a small host that speaks its interface over real repositories. */
import test from "ava";
import { config, release, TOKEN, world } from "../../testing/forge-fixture.js";

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

test.serial("a read-only token changes nothing, and an unknown one sees nothing", async (t) => {
  const at = await world(t, "github");
  t.is((await at.send("POST", "/update_configs", config, "forge-token-2")).status, 403);
  t.is((await at.send("GET", "/accounts", undefined, "unknown")).status, 401);
});

test.serial("tokens are identified once a minute, and unchanged lists cost nothing", async (t) => {
  const at = await world(t, "github");
  await at.send("GET", "/accounts");
  await at.send("GET", "/accounts");
  t.is(at.host.log.filter((line) => line.startsWith("GET /user/orgs")).length, 2);
  t.is(at.host.log.filter((line) => line === "GET /user/orgs 304").length, 1);
});

test.serial("a rate limit is passed on with the time to wait", async (t) => {
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

test.serial(
  "a token revoked during a run fails that run, and the next one continues",
  async (t) => {
    const at = await world(t, "github");
    const { host, registry, tested } = at;
    const { data } = (await (await at.send("POST", "/update_configs", config)).json()) as {
      data: { id: string };
    };
    // The daemon's socket requires no host token.
    const lastRun = async () => {
      const { runs } = (
        await tested.control({ method: "GET", url: "/v1/updates/runs" })
      ).json() as {
        runs: readonly { readonly state: string; readonly reason: string | null }[];
      };
      return runs[0];
    };
    await tested.until(async () => (await lastRun())?.state === "succeeded", "the first run");
    registry.publish("left-foo", "2.0.1");
    // What is asked for last before the branch is pushed.
    registry.interrupt(({ url }) => {
      if (url === "/left-foo/2.0.1") host.tokens.delete(TOKEN);
      return undefined;
    });
    await release(at, "2.0.1");
    await tested.until(async () => (await lastRun())?.state === "failed", "the refusal");
    const reason = (await lastRun())?.reason ?? "";
    t.regex(reason, /Cannot push the branch .*: .*the token is refused/);
    t.false(reason.includes(TOKEN));
    t.is(host.pulls.length, 0);
    t.is(await host.git("for-each-ref", "refs/heads/dependabot"), "");

    registry.interrupt(undefined);
    host.tokens.set(TOKEN, "push");
    t.is((await at.send("POST", `/update_configs/${data.id}/runs`)).status, 202);
    await tested.until(() => host.pulls.length === 1, "the pull request");
  },
);

for (const kind of ["github", "gitea"] as const)
  test.serial(
    `${kind}: a renamed repository is followed, and recorded under its new name`,
    async (t) => {
      const at = await world(t, kind);
      const { host, registry, tested } = at;
      t.is((await at.send("POST", "/update_configs", config)).status, 201);
      host.name = "home";
      registry.publish("left-foo", "2.0.3");
      await release(at, "2.0.3");
      // Its requests with bodies are redirected too.
      await tested.until(() => host.pulls[0]?.state === "merged", "the merge");
      t.true(host.log.includes("POST /repos/acme/site/pulls 301"));
      const path = "/repos?account-id=3&account-type=org&installation-state=active";
      const names = async () => {
        const { data } = (await (await at.send("GET", path)).json()) as {
          data: readonly { attributes: { name: string } }[];
        };
        return data.map(({ attributes }) => attributes.name).join();
      };
      await tested.until(async () => (await names()) === "home", "the new name");
      registry.publish("left-foo", "3.0.0");
      const before = host.log.length;
      await release(at, "3.0.0");
      await tested.until(() => host.pulls[1]?.state === "open", "the second pull request");
      t.deepEqual(
        host.log.slice(before).filter((line) => line.endsWith(" 301")),
        [],
      );
    },
  );

test.serial("a redirect to another host is refused", async (t) => {
  const at = await world(t, "github");
  at.host.interruption = { status: 307, headers: { location: "http://127.0.0.1:1/user" } };
  const answer = await at.send("GET", "/accounts");
  t.is(answer.status, 503);
  t.regex(await answer.text(), /points to another host/);
});

for (const kind of ["github", "gitea", "gitlab"] as const)
  test.serial(`${kind}: a repository has a primary language`, async (t) => {
    const at = await world(t, kind);
    const path = "/repos?account-id=3&account-type=org&installation-state=inactive";
    t.like(await (await at.send("GET", path)).json(), {
      data: [{ attributes: { "primary-language": "javascript" } }],
    });
  });
