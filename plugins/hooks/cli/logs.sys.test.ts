/** `reeve hook logs`, before a daemon that gives a test's answers. */
import test from "ava";
import { runAgainst } from "../../../cli/testing/commands.js";
import { NOW, run, runSummary, snapshot } from "../../../cli/testing/samples.js";
import type { EventLine, RunRecord } from "../../../daemon/http/control/api.js";

const ids = ["01m80b23e60000vmn35q", "01m80b24s400001s16gh", "01m80b24s400001s16gj"] as const;
const record = (id: string): RunRecord => ({
  ...run,
  id,
  output: { text: `said by ${id}`, bytes: 28, omitted: 0 },
});
const finished = (sequence: number, id: string, subject: string): EventLine => ({
  line: "event",
  sequence,
  at: NOW,
  type: "run.finished",
  plugin: "hooks",
  data: { id, kind: "hook", subject },
});
const answers = {
  "GET /v1/hooks": () => ({ hooks: [{ name: "deploy", subject: "hook.deploy" }] }),
  "GET /v1/runs": () => ({
    runs: [
      { ...runSummary, id: ids[1] },
      { ...runSummary, id: ids[0] },
    ],
  }),
  "GET /v1/runs/:id": ({ url }: { readonly url: URL }) =>
    record(url.pathname.replace("/v1/runs/", "")),
  "GET /v1/events": async function* (): AsyncGenerator<EventLine> {
    yield snapshot;
    yield finished(8, ids[2], "hook.other");
    yield finished(9, ids[2], "hook.deploy");
    await new Promise(() => undefined);
  },
};

test("the output of the latest runs, oldest first, each below a line that says whose it is", async (t) => {
  const { stdout, requests } = await runAgainst(t, ["hook", "logs", "deploy"], answers);
  const lines = stdout.trimEnd().split("\n");
  t.regex(lines[0] ?? "", /hook\.deploy {2}failed {2}3\.4s {2}01m80b23e60000vmn35q$/);
  t.is(lines[1], `said by ${ids[0]}`);
  t.is(lines[3], `said by ${ids[1]}`);
  t.true(requests.includes("GET /v1/runs?subject=hook.deploy&limit=10"));
});

test("with --follow, that of runs as they end, and of this hook only", async (t) => {
  const reading = { until: (stdout: string) => stdout.includes(`said by ${ids[2]}`) };
  const { stdout, code } = await runAgainst(t, ["hook", "logs", "deploy", "-f"], answers, reading);
  t.is(code, 0);
  t.is(stdout.match(new RegExp(`said by ${ids[2]}`, "g"))?.length, 1);
});

test("with --json, one record a line", async (t) => {
  const { stdout } = await runAgainst(t, ["hook", "logs", "--json"], answers);
  const lines = stdout.trimEnd().split("\n");
  t.deepEqual(
    lines.map((line) => (JSON.parse(line) as RunRecord).id),
    [ids[0], ids[1]],
  );
});

test("an unknown hook is reported with a suggestion", async (t) => {
  const { code, stderr } = await runAgainst(t, ["hook", "logs", "deplyo"], answers);
  t.is(code, 1);
  t.regex(stderr, /there is no hook `deplyo`\nDid you mean `deploy`\?/);
});
