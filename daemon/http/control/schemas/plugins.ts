import {
  bytes,
  count,
  duration,
  either,
  exactly,
  flag,
  list,
  map,
  number,
  object,
  oneOf,
  ref,
  type Schema,
  says,
  text,
  time,
} from "./make.js";

const cell = { type: ["string", "number", "boolean", "null"] };
const format = oneOf("text", "number", "duration", "size", "ratio", "time", "state");
const panel = (kind: string, rest: Readonly<Record<string, Schema>>): Schema =>
  object({ kind: exactly(kind), id: text, title: text, ...rest });

const health = object({ state: oneOf("healthy", "degraded", "failed"), "reason?": text });

/** Plugins and what they show. */
export const pluginSchemas: Readonly<Record<string, Schema>> = {
  PluginStatus: object({
    id: text,
    title: text,
    "version?": text,
    "namespace?": text,
    state: oneOf(
      "discovered",
      "starting",
      "running",
      "preparing",
      "degraded",
      "stopping",
      "stopped",
      "backoff",
      "quarantined",
    ),
    since: time,
    isolation: oneOf("inline", "worker", "process"),
    permissions: says({ type: "object" }, "What the plugin says it needs, by kind of thing."),
    health,
    blocks: says(count, "Blocks of it in the running generation."),
    restarts: count,
    "failure?": object({ reason: text, at: time }),
    "retryAt?": time,
    "pid?": count,
    "heap?": bytes,
    "cpu?": says(number, "Share of one core."),
  }),
  PluginList: object({ plugins: list(ref("PluginStatus")) }),
  Panel: either(
    panel("table", {
      columns: list(object({ id: text, title: text, "format?": format, "priority?": number })),
      rows: list(map(cell)),
      "omitted?": count,
    }),
    panel("series", {
      "unit?": format,
      interval: duration,
      series: list(object({ name: text, points: list(number) })),
    }),
    panel("values", { entries: list(object({ name: text, value: cell, "format?": format })) }),
    panel("log", { lines: list(object({ at: time, level: text, text })) }),
  ),
  PanelList: object({
    plugins: list(object({ plugin: text, panels: list(ref("Panel")) })),
  }),
  LogList: object({
    lines: list(
      object({
        ...{ sequence: count, at: time, level: oneOf("debug", "info", "warn", "error") },
        ...{
          "plugin?": text,
          message: text,
          fields: says({ type: "object" }, "What it is about."),
        },
      }),
    ),
    boot: text,
  }),
  Readiness: object({ ready: flag, reasons: list(text) }),
  Alive: object({ status: exactly("ok") }),
};
