/** `task "smoke" { … }`: a command that runs after others, or by hand. */
import { c } from "reeve/plugin";
import { checkCommand, commandAttributes, concurrency, expressionsIn } from "./execution.js";
import { defaultFault } from "./parameter-rules.js";
import { retry } from "./retry.js";

/** The run that a task follows. */
export interface ParentScope {
  readonly run: string;
  readonly kind: string;
  readonly name: string;
  /** One of `OUTCOMES`. */
  readonly state: string;
  readonly exit_code?: number;
  readonly output: string;
  readonly json?: unknown;
}

/** The values of a task's names. */
export interface TaskScope extends Readonly<Record<string, unknown>> {
  readonly param: Readonly<Record<string, unknown>>;
  readonly parent?: ParentScope;
  readonly started_at: string;
  readonly attempt: number;
}

const OUTCOMES = ["success", "failure", "timeout", "cancelled", "skipped"] as const;

const scope = c.scope<TaskScope>("task", {
  param: c.map(c.any()).doc("The task's parameters: `param.env`."),
  parent: c
    .object({
      run: c.string(),
      kind: c.string(),
      name: c.string(),
      state: c.string(),
      exit_code: c.number(),
      output: c.string(),
      json: c.any(),
    })
    .doc(
      "The run before this one: `parent.run`, `kind`, `name`, `state`, `exit_code`, `output`, and `json`, the output as JSON. Missing if the task was started by hand.",
    ),
  started_at: c.string().doc("When the run was queued, in UTC: `2026-03-29T01:00:00Z`."),
  attempt: c.number().doc("1, and with `retry` the number of the attempt."),
});

const param = c.block({
  doc: "A parameter of the task: `param.NAME` in its expressions.",
  label: c.name().doc("The parameter's name."),
  reload: "live",
  examples: ['param "env" {\n  values = ["staging", "prod"]\n  default = "staging"\n}'],
  attrs: {
    type: c
      .oneOf("text", "number", "boolean", "list", "secret")
      .default('"text"')
      .doc(
        "The type of its values. A `list` has texts, written `a,b`. A `secret` is stored nowhere, so its run does not survive the daemon; only `env` and `stdin` may read it.",
      ),
    values: c
      .list(c.string(), { minItems: 1, maxItems: 1000 })
      .optional()
      .doc("The allowed texts.")
      .example('["staging", "prod"]'),
    pattern: c
      .regex()
      .optional()
      .doc("What a text has to match, anchored or not.")
      .example('re"^v[0-9.]+$"'),
    default: c
      .union(c.string(), c.number(), c.boolean(), c.list(c.string()))
      .optional()
      .doc("The value if none is given. Without it the parameter is required.")
      .example('"staging"'),
    about: c.string().optional().doc("What it is, for people.").example('"Where to deploy."'),
  },
  check: ({ values }, report) => {
    const fault = defaultFault(values);
    if (fault !== undefined) report(["default"], fault);
  },
});

export const task = c.block({
  doc: "Runs a command after runs of other blocks, or by hand.",
  label: c.name().doc("The task's name."),
  reload: "live",
  examples: [
    'task "smoke" {\n  param "env" {\n    values = ["staging", "prod"]\n    default = "staging"\n  }\n  run = ["./smoke.sh", param.env]\n}',
  ],
  attrs: {
    after: c
      .list(c.union(c.ref("hook"), c.ref("schedule"), c.ref("watch"), c.ref("task")), {
        maxItems: 100,
      })
      .default("[]")
      .doc("The blocks after whose runs it runs. Without them it runs only by hand."),
    on: c
      .list(c.oneOf(...OUTCOMES, "always"), { minItems: 1, unique: true })
      .default('["success"]')
      .doc(
        "The ends after which it runs. A command that could not start is a `failure`; `skipped` are times of schedules.",
      )
      .example('["failure", "timeout"]'),
    concurrency,
    queue: c
      .integer()
      .min(0)
      .max(10_000)
      .default("1000")
      .doc("How many of its runs may wait for their turn."),
    ...commandAttributes(expressionsIn(scope, "param.env"), "1h"),
  },
  blocks: { param, retry },
  check: (block, report) => {
    checkCommand(block.values, report, "a task");
    const names = block.values.param.map(({ label }: { label?: string }) => label);
    const twice = names.find((name: string, index: number) => names.indexOf(name) !== index);
    if (twice !== undefined) report(["param"], `there are two parameters \`${twice}\``);
  },
});
