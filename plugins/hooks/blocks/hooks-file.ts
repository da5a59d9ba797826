/** `hooks_file "legacy" { … }`: serves a hooks file of Adnan Hajdarević's webhook. */
import { c } from "reeve/plugin";

export const hooksFile = c.block({
  doc: "Serves the hooks of a file in JSON, JSON5 or YAML, as written for the `webhook` server. An edit applies at once; an invalid one changes nothing.",
  label: c.name(),
  reload: "live",
  examples: ['hooks_file "legacy" {\n  path = "./hooks.json"\n}'],
  attrs: {
    path: c.path().doc("The file.").example('"./hooks.yaml"'),
    strict: c
      .boolean()
      .default("true")
      .doc(
        "Whether to refuse unsafe files: unknown keys, empty secrets, conditions that hold because a value is missing.",
      ),
    template: c
      .boolean()
      .default("false")
      .doc('Whether the file is a template first: `{{ getenv "SECRET" | js }}`.'),
    server: c
      .ref("hook_server")
      .optional()
      .doc("The hook's server. Required if there are several and none is named `default`.")
      .example("hook_server.main"),
    timeout: c
      .duration()
      .min(1)
      .max(7 * 86_400_000)
      .default("1h")
      .doc("How long a command may run. Then it is killed with everything it started."),
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
      .doc("How many requests of one hook may wait. More get 429."),
    output_limit: c
      .size()
      .min(0)
      .max(16 * 1024 * 1024)
      .default("1MiB")
      .doc("How much of a command's output is kept; the middle of longer output is omitted."),
  },
});
