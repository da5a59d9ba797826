/** Commands that print without end, do not want to end, or are not there. */
import test from "ava";
import type { RunRecord } from "reeve/plugin";
import { eventually } from "../../tests/support/eventually.js";
import { runs } from "../../tests/support/runs.js";
import { type HooksFixture, startFixture } from "./testing/fixture.js";
import { hook, SERVER } from "./testing/pieces.js";

const ended = (at: HooksFixture, patience: number = 60_000): Promise<RunRecord> =>
  eventually(
    "the run to end",
    async () => {
      const [run] = await at.plugin.runs();
      return run?.finishedAt === undefined ? undefined : run;
    },
    { within: patience, every: 20 },
  );

const megabytes = runs(300, 1000);

test(`an output of ${megabytes} MB is counted, not kept`, async (t) => {
  t.timeout(180_000);
  const bytes = megabytes * 1_000_000;
  const at = await startFixture(
    t,
    SERVER + hook("x", `run = ["head", "-c", "${bytes}", "/dev/zero"]\ntimeout = 2m`),
  );
  await at.post("x");
  const before = process.memoryUsage.rss();
  const run = await ended(at, 120_000);
  t.is(run.state, "succeeded");
  t.is(run.output.bytes, bytes);
  t.true((run.output.text.length ?? 0) < 100_000);
  t.true(process.memoryUsage.rss() - before < Math.min(0.8 * bytes, 500 * 1024 * 1024));
});

const stubborn: ReadonlyArray<readonly [is: string, script: string]> = [
  ["a command that ignores TERM", "trap '' TERM; echo on; while :; do sleep 0.05; done"],
  ["a grandchild that ignores TERM", "sh -c \"trap '' TERM; while :; do sleep 0.05; done\"& wait"],
  [
    "a grandchild in a session of its own that keeps the output open",
    "sleep 600 & echo on; sleep 600",
  ],
];
for (const [is, script] of stubborn) {
  test(`${is}: ended when its time is over`, async (t) => {
    t.timeout(90_000);
    const words = JSON.stringify(script).replaceAll("${", "$\\{");
    const at = await startFixture(
      t,
      SERVER + hook("x", `run = ["sh", "-c", ${words}]\ntimeout = 200ms`),
    );
    await at.post("x");
    t.is((await ended(at)).state, "timed_out");
  });
}

test("a grandchild that keeps the output open does not keep a run open that has ended", async (t) => {
  const at = await startFixture(
    t,
    SERVER + hook("x", 'run = ["sh", "-c", "sleep 600 & echo done"]'),
  );
  await at.post("x");
  const run = await ended(at);
  t.is(run.state, "succeeded");
  t.is(run.output.text, "done\n");
});

test("a command that does not exist is a failed run with a reason, and no shell is asked", async (t) => {
  const at = await startFixture(t, SERVER + hook("x", 'run = ["./nothing-there; id"]'));
  await at.post("x");
  const run = await ended(at);
  t.is(run.state, "failed");
  t.regex(run.reason ?? "", /nothing-there; id/);
});
