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
  doc: "Runs a command when a request comes in. Its address is that of its server followed by its name.",
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
        "The program and its arguments; no shell. If the request lacks something an argument needs, it is refused.",
      )
      .example('["./deploy.sh", "--sha", payload.after]'),
    server: c
      .ref("hook_server")
      .optional()
      .doc(
        "The server that answers. Needed only if there are several and none is called `default`.",
      )
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
        "The end of the hook's address, instead of its name. `:env` stands for one segment, which expressions call `path.env`.",
      )
      .example('"/deploy/:env"'),
    methods: c
      .list(c.oneOf(...METHODS), { minItems: 1, unique: true })
      .default('["POST"]')
      .doc("The methods it answers to; others get 405."),
    allow_from: networks()
      .optional()
      .doc(
        "Addresses and networks that requests may come from; others get 403, whatever they can prove.",
      )
      .example('["10.0.0.0/8", "2001:db8::/32"]'),
    parse: c
      .oneOf("auto", "json", "form", "xml", "none")
      .default('"auto"')
      .doc("How to read the body: by its content type, or as this whatever the sender calls it."),
    when: condition
      .optional()
      .doc("What must hold for the command to run. Something missing never makes it hold.")
      .example('payload.ref == "refs/heads/main"'),
    env: c
      .map(textOrSecret)
      .default("{}")
      .doc("Environment variables for the command, secrets too.")
      .example('{ SHA = payload.after, TOKEN = secret("env:DEPLOY_TOKEN") }'),
    inherit_env: c
      .boolean()
      .default("true")
      .doc("Whether the command also gets the daemon's own environment."),
    stdin: anything
      .optional()
      .doc(
        "What the command reads: text and `raw_body` as they are, anything else as JSON. Left out: nothing.",
      )
      .example("payload"),
    cwd: c
      .path()
      .optional()
      .doc("The directory it runs in. Left out: the configuration's.")
      .example('"./site"'),
    timeout: c
      .duration()
      .min(1)
      .max(7 * DAY)
      .default("1m")
      .doc("How long the command may run. Then it and everything it started is ended."),
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
        "What happens when the queue is full: `refuse` the new request with 429; let its sender `wait` for room; `drop_oldest`, the one that has waited longest. With `keep_latest` only the newest request waits, of each key.",
      ),
    concurrency_key: text
      .optional()
      .doc(
        "Runs of requests with the same key go one after the other, in the order of the requests.",
      )
      .example("payload.ref"),
    ...execution,
    output_limit: c
      .size()
      .min(0)
      .max(16 * 1024 * 1024)
      .default("64KiB")
      .doc(
        "How much of the command's output is kept for the answer; the middle of more is left out.",
      ),
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
      "a script cannot be made of what a request says, which a shell would carry out",
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
