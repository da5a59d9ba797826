/** `hooks_file "legacy" { … }`: serves a hooks file of Adnan Hajdarević's webhook. */
import { c } from "reeve/plugin";

export const hooksFile = c.block({
  doc: "Serves the hooks of a file in JSON, JSON5 or YAML, as written for the `webhook` server. An edit of the file counts at once; a broken one changes nothing.",
  label: c.name(),
  reload: "live",
  examples: ['hooks_file "legacy" {\n  path = "./hooks.json"\n}'],
  attrs: {
    path: c.path().doc("The file.").example('"./hooks.yaml"'),
    strict: c
      .boolean()
      .default("true")
      .doc(
        "Whether to refuse what such files rely on only by accident: unknown keys, empty secrets, conditions that hold because something is missing.",
      ),
    template: c
      .boolean()
      .default("false")
      .doc('Whether the file is a template first: `{{ getenv "SECRET" | js }}`.'),
    server: c
      .ref("hook_server")
      .optional()
      .doc(
        "The server that answers. Needed only if there are several and none is called `default`.",
      )
      .example("hook_server.main"),
    timeout: c
      .duration()
      .min(1)
      .max(7 * 86_400_000)
      .default("1h")
      .doc("How long a command may run. Then it and everything it started is ended."),
    concurrency: c
      .integer()
      .min(1)
      .max(1000)
      .default("8")
      .doc("How many commands of one hook may run at the same time."),
    queue: c
      .integer()
      .min(0)
      .max(10_000)
      .default("1000")
      .doc("How many requests for one hook may wait for their turn. More are answered with 429."),
    output_limit: c
      .size()
      .min(0)
      .max(16 * 1024 * 1024)
      .default("1MiB")
      .doc(
        "How much of a command's output is kept for the answer; the middle of more is left out.",
      ),
  },
});
