/** The blocks that are the language's own: `daemon` and `plugin`, described like everybody else's. */
import { c, describeBlock } from "../plugin-api/block.js";
import type { DaemonSettings } from "./program.js";
import { ConfiguredBlock } from "./values/block.js";

/** The language editions that this release supports; files without a `daemon` block use the newest. */
export const EDITIONS: readonly number[] = [1];
export const NEWEST_EDITION = Math.max(...EDITIONS);

const runs = c.block({
  doc: "Records of what was run.",
  reload: "live",
  max: 1,
  attrs: {
    keep: c.integer().min(0).max(10_000_000).default("10000").doc("How many are kept."),
    age: c.duration().default("30d").doc("How long they are kept."),
    output: c
      .size()
      .max(64 * 1024 * 1024)
      .default("64KiB")
      .doc("How much output each keeps."),
    total: c
      .size()
      .min(1024 * 1024)
      .default("256MiB")
      .doc("How much output and requests all of them keep; the oldest are forgotten."),
  },
});

export const daemonDescriptor = describeBlock(
  c.block({
    doc: "Settings of the daemon itself. At most one, in the root file.",
    reload: "live",
    attrs: {
      language: c
        .integer()
        .default(String(NEWEST_EDITION))
        .doc("The edition of the language the files are written in."),
      log_level: c.oneOf("debug", "info", "warn", "error").default('"info"'),
      settle: c
        .duration()
        .max(60_000)
        .default("150ms")
        .doc("How long files must be quiet before an edit is read."),
      probation: c
        .duration()
        .max(3_600_000)
        .default("10s")
        .doc("How long the generation before stays ready to come back."),
      drain_timeout: c
        .duration()
        .default("30s")
        .doc("How long work in flight may go on when the daemon stops."),
      allow_paths: c
        .list(c.path())
        .default("[]")
        .doc("Directories outside the configuration's own that `file` and imports may reach into."),
      lease: c
        .duration()
        .min(1000)
        .max(3_600_000)
        .default("30s")
        .reload("daemon")
        .doc(
          "How long the jobs of a daemon that is gone, or cut off from the store that it shares, wait for another one.",
        ),
      name: c
        .string()
        .pattern("^[A-Za-z0-9][A-Za-z0-9._-]*$", "letters, digits, `.`, `_` and `-`")
        .optional()
        .reload("daemon")
        .example('"web-1"')
        .doc(
          "What this daemon is called where several share a store. Without it, what the host is called.",
        ),
      store: c
        .object({ postgres: c.secret().doc("`postgres://USER:PASSWORD@HOST/DATABASE`") })
        .optional()
        .reload("daemon")
        .example('postgres(secret("env:REEVE_DATABASE_URL"))')
        .doc(
          "The database that several daemons share: what plugins keep, and jobs. Without it, a file of this daemon's own.",
        ),
    },
    blocks: { runs },
  }),
);

export const pluginDescriptor = describeBlock(
  c.block({
    doc: "Binds a third-party plugin to the name that its blocks are written under.",
    label: c
      .string()
      .pattern("^[A-Za-z_][A-Za-z0-9_]*$", "letters, digits and `_`, not starting with a digit"),
    attrs: {
      source: c
        .string()
        .pattern("^(npm:.+|\\.{0,2}/.+)$", "`npm:PACKAGE` or a path starting with `./`")
        .example('"npm:@acme/reeve-plugin-chat"'),
      version: c.string().optional().example('"^2.1"').doc("A range of versions."),
      isolation: c
        .oneOf("inline", "worker", "process")
        .optional()
        .doc("Where its code runs, if not where it wants to."),
    },
  }),
);

/** The settings in the values of a checked `daemon` block. */
export function daemonSettings(values: Readonly<Record<string, unknown>>): DaemonSettings {
  const runValues = (values.runs as { readonly values: DaemonSettings["runs"] } | undefined)
    ?.values;
  return {
    language: values.language as number,
    logLevel: values.log_level as DaemonSettings["logLevel"],
    settle: values.settle as number,
    probation: values.probation as number,
    drainTimeout: values.drain_timeout as number,
    allowPaths: values.allow_paths as readonly string[],
    lease: values.lease as number,
    name: values.name as string | undefined,
    store: undefined,
    runs: runValues
      ? {
          keep: runValues.keep,
          age: runValues.age,
          output: runValues.output,
          total: runValues.total,
        }
      : defaultRuns,
  };
}

const defaultRuns: DaemonSettings["runs"] = {
  keep: 10_000,
  age: 30 * 86_400_000,
  output: 64 * 1024,
  total: 256 * 1024 * 1024,
};

/** The settings without a `daemon` block, or with an invalid one. */
export const defaultSettings: DaemonSettings = {
  language: NEWEST_EDITION,
  logLevel: "info",
  settle: 150,
  probation: 10_000,
  drainTimeout: 30_000,
  allowPaths: [],
  lease: 30_000,
  name: undefined,
  store: undefined,
  runs: defaultRuns,
};

/** The settings as attribute values of the `daemon` block; the inverse of `daemonSettings`. */
export function settingValues(settings: DaemonSettings): Readonly<Record<string, unknown>> {
  return {
    language: settings.language,
    log_level: settings.logLevel,
    settle: settings.settle,
    probation: settings.probation,
    drain_timeout: settings.drainTimeout,
    allow_paths: settings.allowPaths,
    lease: settings.lease,
    ...(settings.name !== undefined && { name: settings.name }),
    ...(settings.store && { store: { postgres: settings.store.postgres } }),
    runs: new ConfiguredBlock({
      kind: "runs",
      labels: [],
      key: "daemon.runs",
      values: settings.runs,
      doc: undefined,
      ranges: new Map(),
    }),
  };
}
