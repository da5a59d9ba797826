/** Polling of code hosts without deliveries: what it notices, what it costs, when it pauses. */
import test, { type ExecutionContext } from "ava";
import { FakeClock } from "reeve/testing";
import { deliver } from "../../testing/deliveries.js";
import type { ForgeKind } from "../../testing/forge-checks.js";
import {
  config,
  release,
  WEBHOOK_SECRET as secret,
  shown,
  type World,
  world,
} from "../../testing/forge-fixture.js";

const minute = 60_000;
/** Longer than the jittered interval, so that everything is polled once. */
const round = 6 * minute;

interface Polled extends World {
  readonly clock: FakeClock;
  /** Lets time pass until it is so. */
  passing(fits: () => boolean | Promise<boolean>, what: string): Promise<void>;
  /** Requests about heads and open pull requests during that time. */
  requestsDuring(milliseconds: number): Promise<readonly string[]>;
}

async function polled(t: ExecutionContext, kind: ForgeKind, host = ""): Promise<Polled> {
  const clock = new FakeClock();
  const at = await world(t, kind, { clock, host });
  t.is((await at.send("POST", "/update_configs", config)).status, 201);
  return {
    ...at,
    clock,
    passing: (fits, what) =>
      at.tested.until(async () => {
        await clock.advance(minute);
        return fits();
      }, what),
    requestsDuring: async (milliseconds) => {
      const before = at.host.log.length;
      await clock.advance(milliseconds);
      return at.host.log
        .slice(before)
        .filter((line) => /\/(branches\/\w+|pulls|merge_requests) \d+$/.test(line));
    },
  };
}

const branches = (lines: readonly string[]): readonly string[] =>
  lines.filter((line) => /branches/.test(line));

for (const kind of ["github", "gitea", "gitlab"] as const) {
  test.serial(`${kind}: a push without an event is noticed`, async (t) => {
    const at = await polled(t, kind);
    at.registry.publish("right-foo", "1.0.0");
    at.registry.publish("right-foo", "1.1.0");
    const dependencies = { "left-foo": "2.0.0", "right-foo": "1.0.0" };
    await at.push({ "package.json": `${JSON.stringify({ name: "site", dependencies })}\n` });
    const file = ".github/dependabot.yml";
    const entry =
      "  - package-ecosystem: npm\n    directory: /\n    schedule: { interval: daily }\n";
    await at.push({ [file]: `version: 2\nupdates:\n${entry}` });
    await at.passing(() => at.host.pulls.length === 1, "the pull request of what was pushed");
    t.is(at.host.pulls[0]?.title, "Bump right-foo from 1.0.0 to 1.1.0");
  });

  test.serial(`${kind}: a pull request closed on the host is noticed`, async (t) => {
    const at = await polled(t, kind);
    at.registry.publish("left-foo", "3.0.0");
    await release(at, "3.0.0");
    await shown(at, 1);
    const [pull] = at.host.pulls;
    if (!pull) return t.fail();
    pull.state = "closed";
    const closed = async (): Promise<number> => {
      const answer = await at.send("GET", "/pull_requests?state=closed");
      return ((await answer.json()) as { data: readonly unknown[] }).data.length;
    };
    await at.passing(async () => (await closed()) === 1, "the close");
  });

  test.serial(`${kind}: a repeated check that passes allows the merge`, async (t) => {
    const at = await polled(t, kind);
    at.host.check = "failure";
    at.registry.publish("left-foo", "2.0.1");
    await release(at, "2.0.1");
    await shown(at, 1);
    const refused = async (): Promise<boolean> =>
      /check of the code host failed/.test(await (await at.send("GET", "/pull_requests")).text());
    await at.tested.until(refused, "the refusal");
    at.host.check = "success";
    await at.passing(() => at.host.pulls[0]?.state === "merged", "the merge");
  });
}

test.serial("while nothing changes, a poll only revalidates an ETag", async (t) => {
  const at = await polled(t, "github");
  at.registry.publish("left-foo", "3.0.0");
  await release(at, "3.0.0");
  await shown(at, 1);
  await at.requestsDuring(2 * round);
  const lines = await at.requestsDuring(4 * round);
  t.true(lines.length >= 8, `${lines.length}`);
  t.deepEqual(
    lines.filter((line) => !line.endsWith(" 304")),
    [],
  );
});

test.serial("a repository with deliveries is not polled for a day", async (t) => {
  const at = await polled(t, "github");
  await at.requestsDuring(round);
  const reported = { what: "push", branch: "main" } as const;
  t.is((await deliver("github", { url: at.url, secret }, reported)).status, 202);
  t.deepEqual(branches(await at.requestsDuring(2 * round)), []);
  await at.clock.advance(24 * 60 * minute);
  t.not(branches(await at.requestsDuring(round)).length, 0);
});

test.serial("a rate-limited host is not polled until the limit resets", async (t) => {
  const at = await polled(t, "github");
  t.not((await at.requestsDuring(2 * round)).length, 0);
  at.host.interruption = { status: 429, headers: { "retry-after": "3600" } };
  t.is((await at.requestsDuring(2 * round)).length, 1);
  at.host.interruption = undefined;
  t.is((await at.requestsDuring(30 * minute)).length, 0);
  t.not((await at.requestsDuring(30 * minute)).length, 0);
});

test.serial("polling leaves the last tenth of the rate limit", async (t) => {
  const at = await polled(t, "github");
  const resets = Math.ceil((at.clock.now() + 60 * minute) / 1000);
  at.host.interruption = {
    headers: {
      ...{ "x-ratelimit-limit": "5000", "x-ratelimit-remaining": "499" },
      "x-ratelimit-reset": String(resets),
    },
  };
  t.is(branches(await at.requestsDuring(50 * minute)).length, 1);
  t.not(branches(await at.requestsDuring(20 * minute)).length, 0);
});

test.serial("disabled polling sends no request", async (t) => {
  const at = await polled(t, "github", "poll = 0s");
  t.deepEqual(await at.requestsDuring(4 * round), []);
});
