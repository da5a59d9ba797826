/** `hook "deploy" { … }`: a command that an HTTP request runs. */
import { c } from "reeve/plugin";
import { cors } from "./cors.js";
import { dedupe } from "./dedupe.js";
import { checkCommand, commandAttributes, concurrency } from "./execution.js";
import { limit } from "./limit.js";
import { networks } from "./networks.js";
import { anything, condition, text, textOrSecret } from "./request.js";
import { response } from "./response.js";
import { retry } from "./retry.js";
import { verify } from "./verify.js";

const METHODS = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"] as const;

const { run, ...command } = commandAttributes(
  { text, textOrSecret, anything, sample: "payload.after" },
  "1m",
);

export const hook = c.block({
  doc: "Runs a command for an HTTP request. Its address is that of its server followed by its name.",
  label: c.name().doc("The end of the hook's address. Slashes are allowed."),
  reload: "live",
  examples: [
    'hook "deploy" {\n  when = payload.ref == "refs/heads/main"\n  run = ["./deploy.sh", payload.after]\n}',
  ],
  attrs: {
    run,
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
    priority: c
      .integer()
      .min(0)
      .max(1000)
      .optional()
      .doc(
        "For hooks with the same path and method, each with a `when`: the lowest number is tried first. The first that verifies the sender and whose condition holds runs alone.",
      )
      .example("1"),
    concurrency,
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
    ...command,
  },
  blocks: { verify, cors, limit, retry, dedupe, response },
  check: (block, report) => checkCommand(block.values, report, "a hook"),
});

function repeatedParameter(path: string): string | undefined {
  const names = [...path.matchAll(/:([^/]+)/g)].map(([, name]) => name);
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  return twice === undefined ? undefined : `\`:${twice}\` stands for two segments`;
}
