import {
  anything,
  bytes,
  count,
  either,
  exactly,
  flag,
  list,
  number,
  object,
  oneOf,
  ref,
  type Schema,
  says,
  text,
  time,
} from "./make.js";

export const runStates = [
  "queued",
  "running",
  "succeeded",
  "failed",
  "timed_out",
  "cancelled",
  "interrupted",
] as const;

const kept = { bytes, omitted: bytes };
const run = {
  id: text,
  kind: text,
  subject: text,
  state: oneOf(...runStates),
  "trigger?": text,
  generation: count,
  queuedAt: time,
  "startedAt?": time,
  "finishedAt?": time,
  "exitCode?": number,
  "signal?": text,
  "reason?": text,
  "detail?": anything,
  "host?": says(text, "What the daemon is called that it ran on, where several share a store."),
};

/** The daemon as a whole, runs and events. */
export const statusSchemas: Readonly<Record<string, Schema>> = {
  Status: object({
    version: text,
    pid: count,
    startedAt: time,
    now: time,
    state: oneOf("starting", "running", "degraded", "draining"),
    root: text,
    control: text,
    stateDirectory: text,
    "generation?": ref("GenerationSummary"),
    "degraded?": object({ reason: text }),
    conditions: says(
      list(object({ code: text, reason: text, "subject?": text, isUnready: flag, since: time })),
      "Faults of the daemon and its machine that last, the worst first.",
    ),
    staleSeconds: says(count, "How long what runs has not been what is on disk."),
    "database?": says(
      object({ daemon: text, "away?": object({ reason: text, since: time }) }),
      "What daemons share, where they do: this one's name there, and since when it cannot be reached.",
    ),
    plugins: list(ref("PluginStatus")),
    listeners: list(object({ address: text, prefixes: list(text) })),
    runs: says(
      object(Object.fromEntries(runStates.map((state) => [state, count]))),
      "Records that are kept, by state.",
    ),
    process: object({
      rss: bytes,
      heap: bytes,
      loopLag: says(object({ median: number, max: number }), "Milliseconds, in the last seconds."),
      node: text,
    }),
  }),
  RunSummary: object({ ...run, output: object(kept) }),
  RunRecord: object({ ...run, "request?": anything, output: object({ text, ...kept }) }),
  RunList: object({
    runs: list(ref("RunSummary")),
    "next?": says(text, "The value of `before` for the next page."),
    "unseen?": says(text, "Why runs of other hosts are missing."),
  }),
  EventLine: either(
    object(
      {
        line: exactly("snapshot"),
        sequence: count,
        boot: text,
        status: ref("Status"),
        runs: list(ref("RunSummary")),
        "missed?": exactly(true),
      },
      "Everything as it is. Comes first, and in place of events that were missed.",
    ),
    object({
      line: exactly("event"),
      sequence: count,
      at: time,
      type: text,
      "plugin?": text,
      data: { type: "object" },
    }),
    object({
      line: exactly("left_out"),
      sequence: count,
      counts: list(object({ plugin: text, second: count, count })),
    }),
    object({ line: exactly("heartbeat"), sequence: count, at: time }),
  ),
};
