/** Cron expressions of five fields in a time zone. Clock changes follow one rule everywhere. */
import { Cron } from "croner";

/**
 * `no-wildcard`: where the clock skips a time, an expression with fixed hours and minutes runs at the first minute that exists; where
 * the clock repeats one, it runs once. Expressions with `*` follow real time.
 */
const cronOf = (expression: string, zone: string): Cron =>
  new Cron(expression, {
    ...{ mode: "5-part", fixedTimeRule: "no-wildcard", paused: true },
    timezone: zone,
  });

/** Computes the times of one expression. */
export class CronTimes {
  readonly #cron: Cron;

  /** `zone`: a name of the IANA database. @throws TypeError if the expression is invalid */
  constructor(expression: string, zone: string) {
    this.#cron = cronOf(expression, zone);
  }

  /** The first time after `after`, both in milliseconds since the epoch; `undefined` if there is none. */
  next(after: number): number | undefined {
    return this.#cron.nextRun(new Date(after))?.getTime();
  }
}

/** Why an expression is invalid, in a few words; `undefined` if it is valid. */
export function cronFault(expression: string): string | undefined {
  const fields = expression.trim().split(/\s+/);
  const known = FAULTS.find(([pattern]) => fields.some((field) => pattern.test(field)));
  if (known) return known[1];
  if (fields.length !== 5) return "it has to have five fields";
  try {
    return cronOf(expression, "UTC").nextRun() ? undefined : "it never comes";
  } catch (thrown) {
    return (thrown as Error).message.replace(/^Cron\w+: /, "");
  }
}

const FAULTS: ReadonlyArray<readonly [pattern: RegExp, fault: string]> = [
  [/^@reboot$/i, "`@reboot` is no time; let the service manager run it"],
  [/^@/, "names such as `@daily` are not supported; write five fields: `0 0 * * *`"],
  [/^H\b/, "`H` is not supported; write a number, and `jitter` to spread the load"],
  [/^\d+\//, "a step needs a range: write `5-59/15` for `5/15`"],
  [
    /^(?:fri|sat)-(?:sun|mon|tue|wed|thu)$/i,
    "a range cannot pass the end of the week: list the days",
  ],
];

export function isTimeZone(name: string): boolean {
  try {
    new Intl.DateTimeFormat("en", { timeZone: name });
    return true;
  } catch {
    return false;
  }
}
