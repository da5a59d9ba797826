/** Which checks of a code host have to have passed, as the account says. */
import test, { type ExecutionContext } from "ava";
import { FakeClock } from "reeve/testing";
import { deliver } from "../../testing/deliveries.js";
import type { ForgeKind } from "../../testing/forge-checks.js";
import {
  config,
  release,
  shown,
  WEBHOOK_SECRET,
  type World,
  world,
} from "../../testing/forge-fixture.js";

const rows: ReadonlyArray<
  readonly [policy: string, check: "success" | "failure" | undefined, comes: "merge" | RegExp]
> = [
  ["none-ok", undefined, "merge"],
  ["none-ok", "failure", /check of the code host failed/],
  ["all", undefined, /No check has run/],
  ["all", "success", "merge"],
  ["required", undefined, /No check has run/],
];
for (const [policy, check, comes] of rows)
  test.serial(
    `${policy}, ${check ? `a check with ${check}` : "no check"}: ${comes === "merge" ? "it is merged" : "it stays open"}`,
    async (t) => {
      const inside = `account "acme" { automerge_checks = "${policy}" }`;
      const at = await world(t, "github", { inside });
      at.host.check = check;
      t.is((await at.send("POST", "/update_configs", config)).status, 201);
      at.registry.publish("left-foo", "2.0.1");
      await release(at, "2.0.1");
      if (comes === "merge") {
        await at.tested.until(() => at.host.pulls[0]?.state === "merged", "the merge");
        t.is(
          JSON.parse(await at.host.git("show", "main:package.json")).dependencies["left-foo"],
          "2.0.1",
        );
        return;
      }
      await shown(at, 1);
      const said = async (): Promise<string> => (await at.send("GET", "/pull_requests")).text();
      await at.tested.until(async () => comes.test(await said()), "the reason");
      t.is(at.host.pulls[0]?.state, "open");
    },
  );

const reason = async (at: World): Promise<string> => {
  const { data } = (await (await at.send("GET", "/pull_requests?state=open")).json()) as {
    data: readonly { attributes: Record<string, unknown> }[];
  };
  return String(data[0]?.attributes["automerge-reason"] ?? "");
};
/** A delivery, after which the pull request is examined again. */
async function reviewed(t: ExecutionContext, kind: ForgeKind, { url }: World): Promise<void> {
  const event = { what: "pull", number: 1, action: "edited" } as const;
  t.is((await deliver(kind, { url, secret: WEBHOOK_SECRET }, event)).status, 202);
}

for (const kind of ["github", "gitea", "gitlab"] as const)
  test.serial(`${kind}: a failed check on the last page prevents the merge`, async (t) => {
    const at = await world(t, kind);
    const { checks } = at.host;
    checks.mostPerPage = 20;
    checks.reports = Array.from({ length: 250 }, (_, id) => ({
      ...{ id: id + 1, name: `check ${id}`, via: "run" },
      state: id === 249 ? "failure" : "success",
    }));
    t.is((await at.send("POST", "/update_configs", config)).status, 201);
    at.registry.publish("left-foo", "2.0.1");
    await release(at, "2.0.1");
    const failed = "A check of the code host failed: check 249.";
    await at.tested.until(async () => (await reason(at)) === failed, "the reason");
    t.is(at.host.pulls[0]?.state, "open");
    const last = checks.reports.at(-1);
    if (last) last.state = "success";
    await reviewed(t, kind, at);
    await at.tested.until(() => at.host.pulls[0]?.state === "merged", "the merge");
  });

for (const kind of ["github", "gitea"] as const)
  test.serial(
    `${kind}: a required check counts by name and app, and a review on any page`,
    async (t) => {
      const at = await world(t, kind);
      const { checks } = at.host;
      checks.mostPerPage = 20;
      const [app, other] = kind === "github" ? [5, 6] : [undefined, undefined];
      checks.required.push({ name: "deploy", ...(app === undefined ? {} : { app }) });
      const name = kind === "github" ? "deploy" : "deploy (renamed)";
      checks.reports.push({
        id: 1,
        name,
        via: "run",
        state: "success",
        ...(other && { app: other }),
      });
      t.is((await at.send("POST", "/update_configs", config)).status, 201);
      at.registry.publish("left-foo", "2.0.1");
      await release(at, "2.0.1");
      const absent = "The required check deploy is not reported yet.";
      await at.tested.until(async () => (await reason(at)) === absent, "the reason");

      const state = kind === "github" ? "CHANGES_REQUESTED" : "REQUEST_CHANGES";
      at.host.checks.reviews?.push(
        ...Array.from({ length: 30 }, (_, id) => ({ login: `user-${id}`, state: "APPROVED" })),
        { login: "eve", state },
      );
      checks.reports.push({
        id: 2,
        name: "deploy",
        via: "run",
        state: "success",
        ...(app && { app }),
      });
      await reviewed(t, kind, at);
      const changes = "A reviewer requested changes.";
      await at.tested.until(async () => (await reason(at)) === changes, "the review");
      t.is(at.host.pulls[0]?.state, "open");

      at.host.checks.reviews?.push({ login: "eve", state: "APPROVED" });
      await reviewed(t, kind, at);
      await at.tested.until(() => at.host.pulls[0]?.state === "merged", "the merge");
    },
  );

test.serial(
  "what the code host does not answer does not pass, and is asked for again",
  async (t) => {
    const clock = new FakeClock();
    const at = await world(t, "github", { clock });
    at.host.refusals.push(/\/check-runs$/);
    t.is((await at.send("POST", "/update_configs", config)).status, 201);
    at.registry.publish("left-foo", "2.0.1");
    await release(at, "2.0.1");
    const refused = /^The code host does not say whether it may be merged: .*\(403\)/;
    await at.tested.until(async () => refused.test(await reason(at)), "the reason");
    t.is(at.host.pulls[0]?.state, "open");
    at.host.refusals.pop();
    await at.tested.until(async () => {
      await clock.advance(60_000);
      return at.host.pulls[0]?.state === "merged";
    }, "the merge");
  },
);
