/** The attributes of `hook` that run its command. */
import { c } from "reeve/plugin";
import { anything, text } from "./request.js";

export const execution = {
  script: text
    .optional()
    .doc(
      "Instead of `run`: a script for `/bin/sh`, or for the interpreter that its first line names (`#!/usr/bin/env python3`). Nothing of a request can stand in it; give that in `args` or `env`.",
    )
    .example('"#!/usr/bin/env python3\\nprint(1)"'),
  args: c
    .list(text, { maxItems: 1000 })
    .default("[]")
    .doc("What the script is given: `$1`, `$2` and so on in a shell.")
    .example("[payload.ref]"),
  files: c
    .map(anything)
    .default("{}")
    .doc(
      "Files that are there while the command runs, for it alone to read: text and `raw_body` as they are, anything else as JSON. The variable of the same name tells the path, and so does `file_path.NAME` in expressions.",
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
      "The user, and the group, that the command runs as, with the groups that user is in. Only where the daemon runs as root.",
    )
    .example('"deploy:www-data"'),
  nice: c
    .integer()
    .min(-20)
    .max(19)
    .optional()
    .doc("How much it gives way to others for the processor: 19 is most.")
    .example("10"),
  run_in: c
    .ref("sandbox")
    .optional()
    .doc(
      "The sandbox that the command runs in. There it gets `env` and, with `inherit_env`, only PATH, HOME, LANG and TZ of the daemon's own environment.",
    )
    .example("sandbox.build"),
} as const;
