/** `watch "styles" { … }`: a command that runs after files have changed. */
import { c } from "reeve/plugin";
import { checkCommand, commandAttributes, expressionsIn } from "./execution.js";
import { retry } from "./retry.js";

const MINUTE = 60_000;

/** A file that is another one than before. */
export interface FileChange {
  /** Absolute. */
  readonly path: string;
  readonly kind: "created" | "changed" | "removed";
  /** Bytes; of a removed file, what it had. */
  readonly size: number;
}

/** The values of a watch's names. */
export interface WatchScope extends Readonly<Record<string, unknown>> {
  readonly changes: readonly FileChange[];
  readonly more_changes: number;
  /** RFC 3339. */
  readonly started_at: string;
  readonly attempt: number;
}

const scope = c.scope<WatchScope>("run of a watch", {
  changes: c
    .list(c.object({ path: c.string(), kind: c.string(), size: c.number() }))
    .doc(
      "What has changed since the last run, in the order of the paths: `path`, `kind` (`created`, `changed` or `removed`) and `size` in bytes. At most 1,000; empty if a user started the run.",
    ),
  more_changes: c.number().doc("How many changes beyond 1,000 there are."),
  started_at: c.string().doc("When the run was queued, in UTC: `2026-03-29T01:00:00Z`."),
  attempt: c.number().doc("1, and with `retry` the number of the attempt."),
});

export const watch = c.block({
  doc: "Runs a command after files have changed, once they are quiet. Nothing runs at the start.",
  label: c.name().doc("The watch's name."),
  reload: "live",
  examples: [
    'watch "styles" {\n  paths = ["./src/**/*.scss"]\n  run = ["./build.sh"]\n  stdin = changes\n}',
  ],
  attrs: {
    paths: c
      .list(c.string().min(1), { minItems: 1, maxItems: 1000, unique: true })
      .doc(
        "The files, by path or pattern (`*` within a name, `**` across directories), relative to the configuration; `~/` is the home directory. Content decides: a file that is written again without a difference is not a change.",
      )
      .example('["./src/**/*.scss"]'),
    ignore: c
      .list(c.string().min(1), { maxItems: 1000 })
      .default("[]")
      .doc("Patterns of files that do not count.")
      .example('["./src/generated/**"]'),
    debounce: c
      .duration()
      .min(10)
      .max(MINUTE)
      .default("150ms")
      .doc("How long the files must be quiet before the run. A running git command is waited for."),
    max_wait: c
      .duration()
      .min(100)
      .max(60 * MINUTE)
      .default("5s")
      .doc("When the run starts at the latest, though changes go on."),
    busy: c
      .oneOf("again", "ignore", "restart")
      .default('"again"')
      .doc(
        "For changes during a run: run `again` when it has ended, once for all of them; `ignore` them; or cancel the run and `restart`.",
      ),
    ...commandAttributes(expressionsIn(scope, "changes[0].path"), "1h"),
  },
  blocks: { retry },
  check: (block, report) => checkCommand(block.values, report, "a watch"),
});
