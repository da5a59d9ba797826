/** `notify "ops" { … }` and `ping "backup" { … }`: requests about runs. */
import { c } from "reeve/plugin";
import { badHeader } from "./header-names.js";

/** An end of a run, as messages have it. */
export interface Notice {
  readonly kind: string;
  readonly name: string;
  readonly what: string;
  /** Empty if there is none. */
  readonly run: string;
  readonly reason: string;
  /** RFC 3339. */
  readonly at: string;
  readonly host: string;
}

/** The values of a message's names. */
export interface NoticeScope extends Readonly<Record<string, unknown>> {
  readonly text: string;
  readonly count: number;
  readonly notices: readonly Notice[];
}

const scope = c.scope<NoticeScope>("notification", {
  text: c.string().doc("A line for each run: what happened, the reason and the host."),
  count: c.number().doc("How many there are."),
  notices: c
    .list(
      c.object({
        kind: c.string(),
        name: c.string(),
        what: c.string(),
        run: c.string(),
        reason: c.string(),
        at: c.string(),
        host: c.string(),
      }),
    )
    .doc("All of them: `kind`, `name`, `what` (as in `on`), `run`, `reason`, `at` and `host`."),
});

const NOTICED = [
  ...(["success", "failure", "timeout", "cancelled"] as const),
  ...(["skipped", "missed", "recovered"] as const),
] as const;

const url = () =>
  c
    .union(c.string(), c.secret())
    .check((value) =>
      typeof value !== "string" || isAddress(value) ? undefined : "it is not an HTTP address",
    );

const of = () =>
  c
    .list(c.union(c.ref("hook"), c.ref("schedule"), c.ref("watch"), c.ref("task")), {
      minItems: 1,
      maxItems: 1000,
    })
    .optional()
    .example("[schedule.backup]");

export const isAddress = (text: string): boolean =>
  /^https?:$/.test(URL.parse(text)?.protocol ?? "");

export const notify = c.block({
  doc: "Sends a message about runs to an HTTP address, until it is accepted.",
  label: c.name().doc("Its name."),
  reload: "live",
  examples: [
    'notify "ops" {\n  url = secret("env:NTFY_URL")\n  headers = { Title = "Reeve" }\n}',
    'notify "slack" {\n  url = secret("env:SLACK_URL")\n  body = { text = text }\n}',
  ],
  attrs: {
    url: url().doc("Where to send it. Redirects are not followed.").example('"https://ntfy.sh/x"'),
    of: of().doc("The blocks whose runs it is about. @default all"),
    on: c
      .list(c.oneOf(...NOTICED), { minItems: 1, unique: true })
      .default('["failure", "timeout", "missed", "recovered"]')
      .doc(
        "What it is about. `recovered`: a success after a failure or a timeout; `missed` and `skipped`: times of schedules.",
      ),
    at_most: c
      .duration()
      .min(0)
      .max(86_400_000)
      .default("1m")
      .doc("The least time between two messages; what happens in between is in the second one.")
      .example("5m"),
    body: c
      .expr({ scope, returns: c.any() })
      .optional()
      .doc("The body of the request: text as it is, anything else as JSON. @default `text`")
      .example("{ text = text }"),
    headers: c
      .map(c.union(c.string(), c.secret()))
      .default("{}")
      .doc("Headers of the request.")
      .example('{ Title = "Reeve" }'),
  },
  check: ({ values }, report) => {
    for (const name of Object.keys(values.headers)) {
      const wrong = badHeader(name);
      if (wrong) report(["headers", name], wrong);
    }
  },
});

export const ping = c.block({
  doc: "Tells a monitor of runs, as Healthchecks does: `/start` before a command, and `/0` or another exit code after it.",
  label: c.name().doc("Its name."),
  reload: "live",
  examples: ['ping "backup" {\n  url = secret("env:PING_URL")\n}'],
  attrs: {
    url: url().doc("The address of the check. Redirects are not followed."),
    of: of().doc("The blocks whose runs it is about. @default all"),
  },
});
