/** `retry { … }`: when a failed command is attempted again. */
import { c } from "reeve/plugin";

const HOUR = 3_600_000;

export const retry = c.block({
  doc: "Runs a command again that did not succeed. All tries are one run; until the last has ended, it keeps its place among those that run.",
  max: 1,
  reload: "live",
  examples: ['retry {\n  attempts = 5\n  on = [75, "timeout"]\n}'],
  attrs: {
    attempts: c
      .integer()
      .min(2)
      .max(100)
      .default("3")
      .doc("How often the command is begun at most, the first time included."),
    backoff: c
      .oneOf("exponential", "fixed")
      .default('"exponential"')
      .doc("Whether each pause is twice as long as the one before, or all are the same."),
    min: c.duration().min(0).max(HOUR).default("1s").doc("The first pause."),
    max: c
      .duration()
      .min(0)
      .max(24 * HOUR)
      .default("5m")
      .doc("The longest pause."),
    on: c
      .list(c.union(c.integer(), c.oneOf("failure", "timeout", "interruption")), { minItems: 1 })
      .default('["failure", "timeout"]')
      .doc(
        "After what: any `failure`, a `timeout`, an `interruption` (the daemon died while it was running), or an exit code.",
      )
      .example('[75, "interruption"]'),
  },
});
