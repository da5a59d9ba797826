/** The command of a block: its attributes and their checks, whatever starts it. */
import { c } from "reeve/plugin";
import { badName } from "../decide/environment.js";
import { type anything, plain, type text, type textOrSecret } from "./request.js";

const DAY = 86_400_000;

export interface CommandExpressions {
  readonly text: typeof text;
  readonly textOrSecret: typeof textOrSecret;
  readonly anything: typeof anything;
  /** A value of the run, for examples. */
  readonly sample: string;
}

/** The expressions of a command whose names are those of `scope`. */
export const expressionsIn = <Values extends Readonly<Record<string, unknown>>>(
  scope: ReturnType<typeof c.scope<Values>>,
  sample: string,
) => ({
  text: c.expr({ scope, returns: plain }),
  textOrSecret: c.expr({
    scope,
    returns: c.union(c.string(), c.number(), c.boolean(), c.secret()),
  }),
  anything: c.expr({ scope, returns: c.any() }),
  sample,
});

export const concurrency = c
  .integer()
  .min(1)
  .max(1000)
  .default("4")
  .doc("How many of its commands may run at the same time.");

/** `timeout`: the default. */
export const commandAttributes = (
  { text, textOrSecret, anything, sample }: CommandExpressions,
  timeout: string,
) => ({
  run: c
    .list(text, { minItems: 1, maxItems: 1000 })
    .optional()
    .doc("The program and its arguments, without a shell. Nothing runs if a value is missing.")
    .example(`["./deploy.sh", "--sha", ${sample}]`),
  env: c
    .map(textOrSecret)
    .default("{}")
    .doc("Environment variables of the command; secrets are allowed.")
    .example(`{ SHA = ${sample}, TOKEN = secret("env:DEPLOY_TOKEN") }`),
  inherit_env: c
    .boolean()
    .default("true")
    .doc(
      "Whether the command gets PATH, HOME, USER, LOGNAME, SHELL, LANG, LC_*, TZ and TMPDIR of the daemon.",
    ),
  env_from: c
    .list(
      c
        .string()
        .pattern("^([A-Za-z_][A-Za-z0-9_]*\\*?|\\*)$", "a name, a prefix such as `AWS_*`, or `*`"),
    )
    .default("[]")
    .doc(
      "Other variables of the daemon that the command gets: names, prefixes, or `*` for all. Variables that contain a secret of the configuration are left out.",
    )
    .example('["HTTPS_PROXY", "AWS_*"]'),
  stdin: anything
    .optional()
    .doc("Standard input: text and `raw_body` as they are, anything else as JSON. Empty if absent.")
    .example(sample),
  cwd: c
    .path()
    .optional()
    .doc("The working directory. @default the configuration's")
    .example('"./site"'),
  timeout: c
    .duration()
    .min(1)
    .max(7 * DAY)
    .default(timeout)
    .doc("How long the command may run. Then it is killed with everything it started."),
  script: text
    .optional()
    .doc(
      "Instead of `run`: a script for `/bin/sh`, or for the interpreter that its first line names (`#!/usr/bin/env python3`). It cannot contain values of the run; pass them in `args` or `env`.",
    )
    .example('"#!/usr/bin/env python3\\nprint(1)"'),
  args: c
    .list(text, { maxItems: 1000 })
    .default("[]")
    .doc("The script's arguments: `$1`, `$2` and so on in a shell.")
    .example(`[${sample}]`),
  files: c
    .map(anything)
    .default("{}")
    .doc(
      "Files that exist while the command runs, readable by it alone: text and `raw_body` as they are, anything else as JSON. The variable of the same name holds the path, like `file_path.NAME` in expressions.",
    )
    .example(`{ PAYLOAD = ${sample} }`),
  run_as: c
    .string()
    .pattern(
      "^[A-Za-z0-9_][A-Za-z0-9_.-]*(:[A-Za-z0-9_][A-Za-z0-9_.-]*)?$",
      "`user` or `user:group`",
    )
    .optional()
    .doc(
      "The user and group of the command, with the user's other groups. Needs a daemon that runs as root.",
    )
    .example('"deploy:www-data"'),
  no_new_privileges: c
    .boolean()
    .optional()
    .doc(
      "Whether set-user-ID programs such as `sudo` give the command no privileges. @default true with `run_as`, otherwise as for the daemon",
    ),
  nice: c
    .integer()
    .min(-20)
    .max(19)
    .optional()
    .doc("The command's niceness: 19 is the lowest priority.")
    .example("10"),
  run_in: c
    .ref("sandbox")
    .optional()
    .doc(
      "The sandbox that the command runs in. There it gets `env` and, with `inherit_env`, only PATH, HOME, LANG and TZ of the daemon's own environment.",
    )
    .example("sandbox.build"),
  output_limit: c
    .size()
    .min(0)
    .max(16 * 1024 * 1024)
    .default("64KiB")
    .doc("How much of the command's output is kept; the middle of longer output is omitted."),
});

type Report = (path: readonly string[], message: string, help?: string) => void;

/** `what`: `a hook`. */
export function checkCommand(values: Program, report: Report, what: string): void {
  const { env, files } = values;
  for (const name of Object.keys(env)) {
    const wrong = badName(name);
    if (wrong) report(["env", name], wrong);
  }
  for (const name of Object.keys(files)) {
    const wrong = name in env ? `\`${name}\` is a variable in \`env\`, too` : badName(name);
    if (wrong) report(["files", name], wrong);
  }
  checkProgram(values, report, what);
}

interface Program {
  readonly run?: unknown;
  readonly script?: { readonly constant: boolean };
  readonly args: readonly unknown[];
  readonly run_as?: string;
  readonly run_in?: unknown;
  readonly nice?: number;
  readonly no_new_privileges?: boolean;
  readonly env_from: readonly string[];
  readonly files: object;
  readonly env: object;
}

function checkProgram(
  { run, script, args, run_as, run_in, nice, files, no_new_privileges, env_from }: Program,
  report: Report,
  what: string,
): void {
  if ((run === undefined) === (script === undefined)) {
    const [path, fault] = run
      ? ["script", "both `run` and `script`"]
      : ["run", "neither `run` nor `script`"];
    report(
      [path as string],
      `${what} has one command: there is ${fault}`,
      'give it `run = ["./deploy.sh"]`, or a `script`',
    );
  }
  if (script && !script.constant) {
    report(
      ["script"],
      "a script cannot contain values of the run: the shell would execute them",
      'pass them in `args`, and write `"$1"` in the script',
    );
  }
  if (run && args.length > 0) report(["args"], "`args` are for a `script`; `run` has its own");
  if (!run_in) return;
  const outside = {
    ...{ run_as, nice, no_new_privileges },
    files: Object.keys(files).length > 0 ? files : undefined,
    env_from: env_from.length > 0 ? env_from : undefined,
  };
  for (const [name, value] of Object.entries(outside)) {
    if (value !== undefined) report([name], `a command in a sandbox cannot have \`${name}\``);
  }
}
