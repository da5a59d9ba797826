import test from "ava";
import type { DeltaLine, HeartbeatLine } from "../../daemon/http/control/api.js";
import { Failure } from "../plugin-api/exit.js";
import { type Answers, daemonDouble } from "../testing/daemon-double.js";
import { snapshot } from "../testing/samples.js";
import { connect } from "./client.js";
import { type EventWatchOptions, type WatchLine, watch } from "./watch.js";

const event = (sequence: number): DeltaLine => ({
  line: "event",
  sequence,
  at: 1,
  type: "x",
  data: {},
});
const heartbeat: HeartbeatLine = { line: "heartbeat", sequence: 9, at: 2 };

/** The lines until one satisfies `last`, as `snapshot 7`, and what was requests of the daemon. */
async function watched(
  t: { teardown(fn: () => unknown): void },
  answers: Answers,
  last: (line: WatchLine) => boolean,
  options: Partial<EventWatchOptions> = {},
) {
  const daemon = await daemonDouble(answers);
  t.teardown(daemon.close);
  const stop = new AbortController();
  const lines: WatchLine[] = [];
  const control = connect({ control: daemon.socket });
  for await (const line of watch(control, { signal: stop.signal, retry: 1, ...options })) {
    lines.push(line);
    if (last(line)) stop.abort();
  }
  return {
    lines: lines.map((line) => (line.line === "lost" ? "lost" : `${line.line} ${line.sequence}`)),
    requests: daemon.requests.map(({ request }) => request),
  };
}

test("a connection that ends is made again and goes on after the last event", async (t) => {
  let connections = 0;
  const { lines, requests } = await watched(
    t,
    {
      "GET /v1/events": async function* () {
        connections += 1;
        if (connections === 1) yield* [snapshot, event(8)];
        else yield* [event(9), heartbeat];
      },
    },
    ({ line }) => line === "heartbeat",
  );
  t.deepEqual(lines, ["snapshot 7", "event 8", "lost", "event 9", "heartbeat 9"]);
  t.deepEqual(requests, ["GET /v1/events", "GET /v1/events?since=8&boot=b1"]);
});

test("a connection that breaks in the middle of a line is made again", async (t) => {
  let connections = 0;
  const seen = Promise.withResolvers<void>();
  const { lines } = await watched(
    t,
    {
      "GET /v1/events": async function* () {
        connections += 1;
        if (connections > 1) return yield event(8);
        yield `${JSON.stringify(snapshot)}\n{"line":"ev`;
        await seen.promise;
        throw new Error("torn down");
      },
    },
    ({ line }) => {
      seen.resolve();
      return line === "event";
    },
  );
  t.deepEqual(lines, ["snapshot 7", "lost", "event 8"]);
});

test("a daemon that says nothing any more, not even that nothing happened, counts as lost", async (t) => {
  const end = Promise.withResolvers<void>();
  t.teardown(end.resolve);
  let received = false;
  const { lines } = await watched(
    t,
    {
      "GET /v1/events": async function* () {
        yield snapshot;
        await end.promise;
      },
    },
    ({ line }) => {
      received ||= line === "snapshot";
      return received && line === "lost";
    },
    { silence: 50 },
  );
  t.deepEqual(lines.slice(-2), ["snapshot 7", "lost"]);
});

test("a daemon that was never there is an error, not something to wait for", async (t) => {
  const control = connect({ control: "/nonexistent/control.sock" });
  const signal = new AbortController().signal;
  await t.throwsAsync(watch(control, { signal }).next(), { instanceOf: Failure });
});

test("a daemon that has answered before is waited for, even if it is gone before the first connection", async (t) => {
  const control = connect({ control: "/nonexistent/control.sock" });
  const stop = new AbortController();
  for await (const line of watch(control, { signal: stop.signal, retry: 1, known: true })) {
    t.is(line.line, "lost");
    stop.abort();
  }
});

test("the waits between tries grow, up to ten times the first", async (t) => {
  let connections = 0;
  const waits: number[] = [];
  await watched(
    t,
    {
      "GET /v1/events": async function* () {
        connections += 1;
        if (connections === 1) yield snapshot;
      },
    },
    (line) => {
      if (line.line === "lost") waits.push(line.retryIn);
      return waits.length === 6;
    },
  );
  t.deepEqual(waits, [1, 2, 4, 8, 10, 10]);
});
