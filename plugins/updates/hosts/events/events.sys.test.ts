/** What code hosts deliver, and what comes of it: pushes, checks, pull requests, comments; only where it is signed. */
import test, { type ExecutionContext } from "ava";
import { type DeliveredEvent, deliver } from "../../testing/deliveries.js";
import type { ForgeKind } from "../../testing/forge-checks.js";
import {
  config,
  release,
  WEBHOOK_SECRET as secret,
  shown,
  type World,
  world,
} from "../../testing/forge-fixture.js";

const manifest = (dependencies: Readonly<Record<string, string>>): string =>
  `${JSON.stringify({ name: "site", version: "1.0.0", dependencies }, undefined, 2)}\n`;

const report = async (
  t: ExecutionContext,
  kind: ForgeKind,
  { url }: World,
  event: DeliveredEvent,
): Promise<void> => {
  t.is((await deliver(kind, { url, secret }, event)).status, 202);
};

// biome-ignore lint/suspicious/noExplicitAny: attributes of any kind.
type Shown = { readonly attributes: Readonly<Record<string, any>> };
const listed = async (at: World, path: string): Promise<readonly Shown[]> =>
  ((await (await at.send("GET", path)).json()) as { data: readonly Shown[] }).data;

for (const kind of ["github", "gitea", "gitlab"] as const) {
  test.serial(`${kind}: pushing a config file is enough`, async (t) => {
    const at = await world(t, kind);
    at.registry.publish("left-foo", "2.0.3");
    const file = ".github/dependabot.yml";
    const entry = `  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: daily }\n`;
    await at.push({ [file]: `version: 2\nupdates:\n${entry}` });
    await report(t, kind, at, { what: "push", branch: "main", paths: [file] });
    await at.tested.until(() => at.host.pulls.length === 1, "the pull request");
    t.is(at.host.pulls[0]?.title, "Bump left-foo from 2.0.0 to 2.0.3");
    // What the file says, the API does not change; without the file it is gone.
    t.is((await at.send("POST", "/update_configs", { ...config, directory: "/" })).status, 409);
  });

  test.serial(`${kind}: a pushed dependency is indexed before its release`, async (t) => {
    const at = await world(t, kind);
    t.is((await at.send("POST", "/update_configs", config)).status, 201);
    at.registry.publish("right-foo", "1.0.0");
    await at.push({ "package.json": manifest({ "left-foo": "2.0.0", "right-foo": "1.0.0" }) });
    await report(t, kind, at, { what: "push", branch: "main" });
    const names = async () =>
      (await listed(at, "/repos?account-id=3&account-type=org&installation-state=active")).length;
    t.is(await names(), 1);
    at.registry.publish("right-foo", "1.1.0");
    const notify = () =>
      at.send("POST", "/release_notifications/private", {
        ...{ name: "right-foo", version: "1.1.0", "package-manager": "npm_and_yarn" },
      });
    await at.tested.until(async () => {
      await notify();
      return at.host.pulls.length === 1;
    }, "the pull request of what was pushed");
    t.is(at.host.pulls[0]?.title, "Bump right-foo from 1.0.0 to 1.1.0");
  });

  test.serial(
    `${kind}: a passed check and a closed pull request take effect at once`,
    async (t) => {
      const at = await world(t, kind);
      at.host.check = "pending";
      await at.send("POST", "/update_configs", config);
      at.registry.publish("left-foo", "2.0.1");
      await release(at, "2.0.1");
      const state = async (): Promise<unknown> =>
        (await listed(at, "/pull_requests?state=open"))[0]?.attributes.automerge;
      await at.tested.until(async () => (await state()) === "waiting", "the wait for the check");
      at.host.check = "success";
      const commit = await at.host.git("rev-parse", `refs/heads/${at.host.pulls[0]?.head}`);
      await report(t, kind, at, { what: "status", commit });
      await at.tested.until(() => at.host.pulls[0]?.state === "merged", "the merge");

      at.registry.publish("left-foo", "3.0.0");
      await release(at, "3.0.0");
      await shown(at, 2);
      const second = at.host.pulls[1];
      if (!second) return t.fail();
      second.state = "closed";
      await report(t, kind, at, { what: "pull", number: 2, action: "closed" });
      await at.tested.until(
        async () => (await listed(at, "/pull_requests?state=closed")).length === 1,
        "the close",
      );
    },
  );

  test.serial(`${kind}: only users with push permission may request a merge`, async (t) => {
    const at = await world(t, kind);
    await at.send("POST", "/update_configs", config);
    at.registry.publish("left-foo", "3.0.0");
    await release(at, "3.0.0");
    await shown(at, 1);
    const comment = { what: "comment" as const, number: 1, text: "Fine.\n@reeve merge" };
    await report(t, kind, at, { ...comment, by: 12 });
    const said = (): string => at.host.pulls[0]?.comments.join("\n") ?? "";
    await at.tested.until(() => /only users with push permission/.test(said()), "the refusal");
    t.is(at.host.pulls[0]?.state, "open");
    await report(t, kind, at, { ...comment, by: 11 });
    await at.tested.until(() => at.host.pulls[0]?.state === "merged", "the merge");
    t.is(
      JSON.parse(await at.host.git("show", "main:package.json")).dependencies["left-foo"],
      "3.0.0",
    );
  });

  test.serial(
    `${kind}: a delivery with a wrong or missing signature changes nothing`,
    async (t) => {
      const at = await world(t, kind);
      await at.push({ ".github/dependabot.yml": "version: 2\nupdates: []\n" });
      const event: DeliveredEvent = {
        what: "push",
        branch: "main",
        paths: [".github/dependabot.yml"],
      };
      const forged = await deliver(kind, { url: at.url, secret: "webhook-secret-2" }, event);
      t.is(forged.status, 401);
      const bare = await fetch(`${at.url}/host_events`, { method: "POST", body: "{}" });
      t.is(bare.status, 401);
      t.false((await bare.text()).includes(secret));
      t.false(at.host.log.some((line) => /\/(repositories|projects)\/7 /.test(line)));
    },
  );
}
