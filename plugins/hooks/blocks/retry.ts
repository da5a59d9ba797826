/** `retry { … }`: when a failed command is attempted again. */
import { c } from "reeve/plugin";

const HOUR = 3_600_000;

export const retry = c.block({
  doc: "Runs a failed command again. All attempts are one run, which keeps its slot until the last one has ended.",
  max: 1,
  reload: "live",
  examples: ['retry {\n  attempts = 5\n  on = [75, "timeout"]\n}'],
  attrs: {
    attempts: c
      .integer()
      .min(2)
      .max(100)
      .default("3")
      .doc("The most attempts, including the first."),
    backoff: c
      .oneOf("exponential", "fixed")
      .default('"exponential"')
      .doc("Whether each pause doubles, or all are equal."),
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
        "The reasons: any `failure`, a `timeout`, an `interruption` (the daemon died meanwhile), or an exit code.",
      )
      .example('[75, "interruption"]'),
  },
});
