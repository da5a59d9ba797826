/** Which checks of a code host have to have passed, as the account says. */
import test from "ava";
import { config, release, shown, world } from "../../testing/forge-fixture.js";

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
