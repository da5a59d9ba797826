/** `schedule "backup" { … }`: a command that runs at its times. */
import { c, cronFault, isTimeZone } from "reeve/plugin";
import { checkCommand, commandAttributes, expressionsIn } from "./execution.js";
import { retry } from "./retry.js";

const DAY = 86_400_000;

/** The values of a schedule's names. */
export interface ScheduleScope extends Readonly<Record<string, unknown>> {
  /** RFC 3339. */
  readonly planned_at: string;
  readonly started_at: string;
  readonly missed: number;
  readonly attempt: number;
}

const scope = c.scope<ScheduleScope>("scheduled run", {
  planned_at: c.string().doc("The time that the schedule names, in UTC: `2026-03-29T01:00:00Z`."),
  started_at: c.string().doc("When the run was started, in UTC."),
  missed: c.number().doc("How many runs were missed before this one."),
  attempt: c.number().doc("1, and with `retry` the number of the attempt."),
});

export const schedule = c.block({
  doc: "Runs a command at the times of a cron expression, or at regular intervals.",
  label: c.name().doc("The schedule's name."),
  reload: "live",
  examples: [
    'schedule "backup" {\n  cron = "30 2 * * *"\n  time_zone = "Europe/Berlin"\n  run = ["./backup.sh", planned_at]\n}',
  ],
  attrs: {
    cron: c
      .string()
      .check(cronFault)
      .optional()
      .doc(
        "Five fields: minute, hour, day of the month, month, day of the week. `13 * 5` is day 13 or Friday, `13 * +5` both.",
      )
      .example('"30 2 * * *"'),
    every: c
      .duration()
      .min(1000)
      .max(366 * DAY)
      .optional()
      .doc("The interval, instead of `cron`. Edits and restarts do not shift its times.")
      .example("5m"),
    time_zone: c
      .string()
      .check((zone) => (isTimeZone(zone) ? undefined : `there is no time zone ${zone}`))
      .default('"UTC"')
      .doc(
        "The time zone of `cron`. A fixed time that the clock skips becomes the first minute that exists; one that the clock repeats runs once.",
      )
      .example('"Europe/Berlin"'),
    jitter: c
      .duration()
      .min(0)
      .max(DAY)
      .default("0s")
      .doc("The longest delay. Each host delays a schedule by the same share of it every time."),
    catch_up: c
      .duration()
      .min(0)
      .max(366 * DAY)
      .default("0s")
      .doc(
        "After downtime, the latest missed run is started if it is at most this old; all others are recorded as missed. A delay of one minute never counts as missed.",
      )
      .example("1d"),
    overlap: c
      .oneOf("skip", "queue_one", "replace", "allow")
      .default('"skip"')
      .doc(
        "If the previous run has not ended: `skip` the new one, queue at most one, cancel and `replace` the previous run, or run both.",
      ),
    hosts: c
      .oneOf("each", "one")
      .default('"each"')
      .doc("Whether each daemon of a shared store runs it, or one of them."),
    ...commandAttributes(expressionsIn(scope, "planned_at"), "1h"),
  },
  blocks: { retry },
  check: (block, report) => {
    const { cron, every } = block.values;
    if ((cron === undefined) === (every === undefined)) {
      const what = cron === undefined ? "neither `cron` nor `every`" : "both `cron` and `every`";
      const path = cron === undefined ? "cron" : "every";
      report(
        [path],
        `a schedule has one rule: there is ${what}`,
        'give it `cron = "30 2 * * *"`, or `every = 5m`',
      );
    }
    checkCommand(block.values, report, "a schedule");
  },
});
