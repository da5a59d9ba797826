/** The attributes of `hook` that run its command. */
import { c } from "reeve/plugin";
import { anything, text } from "./request.js";

export const execution = {
  script: text
    .optional()
    .doc(
      "Instead of `run`: a script for `/bin/sh`, or for the interpreter that its first line names (`#!/usr/bin/env python3`). It cannot contain values of the request; pass them in `args` or `env`.",
    )
    .example('"#!/usr/bin/env python3\\nprint(1)"'),
  args: c
    .list(text, { maxItems: 1000 })
    .default("[]")
    .doc("The script's arguments: `$1`, `$2` and so on in a shell.")
    .example("[payload.ref]"),
  files: c
    .map(anything)
    .default("{}")
    .doc(
      "Files that exist while the command runs, readable by it alone: text and `raw_body` as they are, anything else as JSON. The variable of the same name holds the path, like `file_path.NAME` in expressions.",
    )
    .example("{ PAYLOAD = payload }"),
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
} as const;
