/** `hook "deploy" { … }`: a command that an HTTP request runs. */
import { c } from "reeve/plugin";
import { badName } from "../decide/environment.js";
import { dedupe } from "./dedupe.js";
import { execution } from "./execution.js";
import { networks } from "./networks.js";
import { anything, condition, text, textOrSecret } from "./request.js";
import { response } from "./response.js";
import { retry } from "./retry.js";
import { verify } from "./verify.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;
const DAY = 86_400_000;

export const hook = c.block({
  doc: "Runs a command for an HTTP request. Its address is that of its server followed by its name.",
  label: c.name().doc("The end of the hook's address. Slashes are allowed."),
  reload: "live",
  examples: [
    'hook "deploy" {\n  when = payload.ref == "refs/heads/main"\n  run = ["./deploy.sh", payload.after]\n}',
  ],
  attrs: {
    run: c
      .list(text, { minItems: 1, maxItems: 1000 })
      .optional()
      .doc(
        "The program and its arguments, without a shell. A request that lacks a needed value is refused.",
      )
      .example('["./deploy.sh", "--sha", payload.after]'),
    server: c
      .ref("hook_server")
      .optional()
      .doc("The hook's server. Required if there are several and none is named `default`.")
      .example("hook_server.main"),
    path: c
      .string()
      .pattern(
        "^/?(:[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9_~-][A-Za-z0-9._~-]*)(/(:[A-Za-z_][A-Za-z0-9_]*|[A-Za-z0-9_~-][A-Za-z0-9._~-]*)){0,15}$",
        "a path of letters, digits, `.`, `_`, `~`, `-` and parameters such as `:env`",
      )
      .check(repeatedParameter)
      .optional()
      .doc(
        "The end of the hook's address, instead of its name. `:env` matches one segment, `path.env` in expressions.",
      )
      .example('"/deploy/:env"'),
    methods: c
      .list(c.oneOf(...METHODS), { minItems: 1, unique: true })
      .default('["POST"]')
      .doc("The accepted methods; others get 405."),
    allow_from: networks()
      .optional()
      .doc(
        "Addresses and networks that requests may come from; others get 403, even with a valid signature.",
      )
      .example('["10.0.0.0/8", "2001:db8::/32"]'),
    parse: c
      .oneOf("auto", "json", "form", "xml", "none")
      .default('"auto"')
      .doc("How to parse the body: by its content type, or always in this format."),
    when: condition
      .optional()
      .doc("The condition for the command to run. A missing value never satisfies it.")
      .example('payload.ref == "refs/heads/main"'),
    env: c
      .map(textOrSecret)
      .default("{}")
      .doc("Environment variables of the command; secrets are allowed.")
      .example('{ SHA = payload.after, TOKEN = secret("env:DEPLOY_TOKEN") }'),
    inherit_env: c
      .boolean()
      .default("true")
      .doc("Whether the command also gets the daemon's own environment."),
    stdin: anything
      .optional()
      .doc(
        "Standard input: text and `raw_body` as they are, anything else as JSON. Empty if absent.",
      )
      .example("payload"),
    cwd: c
      .path()
      .optional()
      .doc("The working directory. @default the configuration's")
      .example('"./site"'),
    timeout: c
      .duration()
      .min(1)
      .max(7 * DAY)
      .default("1m")
      .doc("How long the command may run. Then it is killed with everything it started."),
    concurrency: c
      .integer()
      .min(1)
      .max(1000)
      .default("4")
      .doc("How many of its commands may run at the same time."),
    queue: c
      .integer()
      .min(0)
      .max(10_000)
      .default("100")
      .doc("How many requests may wait for their turn. 0: none."),
    overflow: c
      .oneOf("refuse", "wait", "drop_oldest", "keep_latest")
      .default('"refuse"')
      .doc(
        "For a full queue: `refuse` the new request with 429; let it `wait` for room; or `drop_oldest`, the longest waiting one. With `keep_latest` only the newest request of each key waits.",
      ),
    durability: c
      .oneOf("disk", "memory")
      .optional()
      .doc(
        "What an accepted request survives: `disk` a power cut, because the response waits for the disk; `memory` the daemon's death. @default disk, but memory if the response waits for the command and there is no `retry`",
      )
      .example('"memory"'),
    concurrency_key: text
      .optional()
      .doc("Runs with the same key run one after another, in the order of their requests.")
      .example("payload.ref"),
    ...execution,
    output_limit: c
      .size()
      .min(0)
      .max(16 * 1024 * 1024)
      .default("64KiB")
      .doc("How much of the command's output is kept; the middle of longer output is omitted."),
  },
  blocks: { verify, retry, dedupe, response },
  check: (block, report) => {
    const { env, files } = block.values;
    for (const name of Object.keys(env)) {
      const wrong = badName(name);
      if (wrong) report(["env", name], wrong);
    }
    for (const name of Object.keys(files)) {
      const wrong = name in env ? `\`${name}\` is a variable in \`env\`, too` : badName(name);
      if (wrong) report(["files", name], wrong);
    }
    checkProgram(block.values, report);
  },
});

interface Program {
  readonly run?: unknown;
  readonly script?: { readonly constant: boolean };
  readonly args: readonly unknown[];
  readonly run_as?: string;
  readonly run_in?: unknown;
  readonly nice?: number;
  readonly files: object;
}

function checkProgram(
  { run, script, args, run_as, run_in, nice, files }: Program,
  report: (path: readonly string[], message: string, help?: string) => void,
): void {
  if ((run === undefined) === (script === undefined)) {
    const [path, what] = run
      ? ["script", "both `run` and `script`"]
      : ["run", "neither `run` nor `script`"];
    report(
      [path as string],
      `a hook has one command: there is ${what}`,
      'give it `run = ["./deploy.sh"]`, or a `script`',
    );
  }
  if (script && !script.constant) {
    report(
      ["script"],
      "a script cannot contain values of the request: the shell would execute them",
      'give it to the script: `args = [payload.ref]`, and write `"$1"` in it',
    );
  }
  if (run && args.length > 0) report(["args"], "`args` are for a `script`; `run` has its own");
  if (!run_in) return;
  const outside = { run_as, nice, files: Object.keys(files).length > 0 ? files : undefined };
  for (const [name, value] of Object.entries(outside)) {
    if (value !== undefined) report([name], `a command in a sandbox cannot have \`${name}\``);
  }
}

function repeatedParameter(path: string): string | undefined {
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `\`:${twice}\` stands for two segments`;
}
