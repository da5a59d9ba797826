import test from "ava";
import type { DeltaLine, EventLine } from "../../daemon/http/control/api.js";
import { runAgainst } from "../testing/commands.js";
import { NOW, snapshot, status } from "../testing/samples.js";

const event = (sequence: number, type: string, data: DeltaLine["data"] = {}): DeltaLine => ({
  line: "event",
  sequence,
  at: NOW,
  type,
  ...(type.startsWith("run.") && { plugin: "hooks" }),
  data,
});

/** A daemon with these events and those that `meanwhile` brings; every connection ends when all are told. */
const daemon = (events: readonly DeltaLine[], meanwhile: readonly EventLine[] = []) => ({
  "GET /v1/events": async function* ({ url }: { readonly url: URL }) {
    const since = url.searchParams.get("since");
    if (since === null) yield { ...snapshot, sequence: events.at(-1)?.sequence ?? 0 };
    else yield* events.filter(({ sequence }) => sequence > Number(since));
    yield* meanwhile;
  },
});

const seen = [
  event(1, "daemon.started"),
  event(2, "run.started", { id: "r1", subject: "hook.deploy", why: "a push", exit: null, n: 3 }),
  event(3, "run.finished", { id: "r1", state: "failed" }),
  event(4, "config.reloaded", { generation: 2 }),
];

test("with --no-follow it prints what has happened and ends", async (t) => {
  const { code, stdout, stderr, requests } = await runAgainst(
    t,
    ["events", "--no-follow"],
    daemon(seen),
  );
  t.deepEqual({ code, stderr }, { code: 0, stderr: "" });
  const lines = stdout.split("\n").map((line) => line.replace(/\d{4}-\d\d-\d\d /, ""));
  t.deepEqual(lines, [
    "    1  14:02:11  daemon.started",
    '    2  14:02:11  hooks/run.started id=r1 subject=hook.deploy why="a push" n=3',
    "    3  14:02:11  hooks/run.finished id=r1 state=failed",
    "    4  14:02:11  config.reloaded generation=2",
    "",
  ]);
  t.deepEqual(requests, ["GET /v1/events", "GET /v1/events?since=0"]);
});

test("--since begins after that number, and --type picks", async (t) => {
  const { stdout } = await runAgainst(
    t,
    ["events", "--no-follow", "--since", "1", "--type", "run.*", "--type", "*.started", "--json"],
    daemon(seen),
  );
  const numbers = stdout
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line).sequence);
  t.deepEqual(numbers, [2, 3]);
});

test("--json is one event a line, without what belongs to the stream", async (t) => {
  const { stdout } = await runAgainst(
    t,
    ["events", "--no-follow", "--json", "--since", "3"],
    daemon(seen),
  );
  t.deepEqual(JSON.parse(stdout), {
    sequence: 4,
    at: NOW,
    type: "config.reloaded",
    data: { generation: 2 },
  });
});

test("a reader that is up to date gets nothing", async (t) => {
  const { code, stdout, requests } = await runAgainst(
    t,
    ["events", "--no-follow", "--since", "4"],
    daemon(seen),
  );
  t.deepEqual({ code, stdout, requests }, { code: 0, stdout: "", requests: ["GET /v1/events"] });
});

test("events that are gone are said to be gone", async (t) => {
  const { code, stdout, stderr } = await runAgainst(t, ["events", "--no-follow", "--since", "1"], {
    "GET /v1/events": async function* ({ url }) {
      yield { ...snapshot, sequence: 9000, ...(url.search !== "" && { missed: true }) };
    },
  });
  t.deepEqual({ code, stdout }, { code: 0, stdout: "" });
  t.is(stderr, "# events after number 1 are no longer kept; the newest is number 9000\n");
});

test("following prints new events until the reader has gone", async (t) => {
  const { code, stdout } = await runAgainst(
    t,
    ["events"],
    daemon(seen, [event(5, "run.started"), event(6, "run.finished")]),
    { until: (text) => text.includes("run.finished") },
  );
  t.is(code, 0);
  t.deepEqual(stdout.match(/\S+\/\S+/g), ["hooks/run.started", "hooks/run.finished"]);
});

test("a daemon that was started anew is noticed", async (t) => {
  let connections = 0;
  const { stdout, stderr } = await runAgainst(
    t,
    ["events"],
    {
      "GET /v1/events": async function* () {
        connections += 1;
        if (connections === 1) return yield* [snapshot, event(8, "daemon.stopping")];
        yield {
          ...snapshot,
          boot: "b2",
          sequence: 1,
          status: { ...status, startedAt: NOW - 2000 },
        };
        yield event(2, "daemon.started");
      },
    },
    { until: (text) => text.includes("daemon.started") },
  );
  t.true(stdout.includes("daemon.stopping"));
  t.is(
    stderr,
    "# the daemon ended the connection; trying again\n# connected again, to a daemon that has been up for 2s\n",
  );
});

test("a word from elsewhere cannot write on the screen as it likes", async (t) => {
  const { stdout } = await runAgainst(
    t,
    ["events", "--no-follow"],
    daemon([event(1, "run.started", { why: "\u001b[2Jx\u202e" })]),
  );
  // biome-ignore lint/suspicious/noControlCharactersInRegex: it is what must not be there.
  t.notRegex(stdout, /[\u001b\u202e]/);
});
