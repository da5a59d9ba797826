/** `reeve hook convert`: a hooks file in the language. */

import { resolve } from "node:path";
import { defineCommand, Exit, Failure, flag, format, readText, shownPath } from "reeve/cli";
import { convertHooks } from "../compat/convert/convert.js";
import { complaintLine, readHooks } from "../compat/file/read.js";
import { expandTemplate } from "../compat/template/template.js";
import { hostWorld } from "../compat/template/world.js";

export const command = defineCommand({
  description:
    "Prints the hooks of a file that was written for the `webhook` server in the language: the same decision, arguments and " +
    "variables for the same request, as a strict `hooks_file` has them. Secrets are not carried over: what is printed says into which variables they belong. Hooks " +
    "that cannot be said in the language are named with the reason; `hooks_file` goes on serving them.",
  arguments: [{ name: "FILE", summary: "a hooks file in JSON, JSON5 or YAML", required: true }],
  options: {
    template: flag("the file is a template: expand it first, as `webhook -template` does"),
  },
  examples: [
    {
      command: "reeve hook convert hooks.json > hooks.reeve",
      does: "writes the hooks as people write them",
    },
  ],
  exits: {
    [Exit.findings]: "some hooks cannot be said in the language",
    [Exit.noInput]: "there is no such file",
    [Exit.configuration]: "the file cannot be read as hooks",
  },
  async run({ arguments: [file = ""], options, output }) {
    const path = shownPath(resolve(file));
    const written = await readText(file);
    const expanded = options.template
      ? expandTemplate(written, hostWorld)
      : ({ ok: true, text: written } as const);
    if (!expanded.ok) throw new Failure(Exit.configuration, `${complaintLine(path, expanded)}.`);
    const reading = readHooks(expanded.text, { strict: false });
    if (!reading.ok)
      throw new Failure(Exit.configuration, `${complaintLine(path, reading.complaints[0])}.`);
    const { text, left, secrets } = convertHooks(reading.hooks);
    const formatted = format(text);
    if (!("text" in formatted)) throw new Error("what was written is not in the language");
    output.out.write(formatted.text);
    for (const { hook, reason } of left) {
      output.err.write(
        `${path}:${hook.position.line}: the hook \`${hook.id}\` is left out: ${reason}.\n`,
      );
    }
    for (const secret of secrets) {
      output.err.write(`Put the hook's secret into the variable ${secret} of the daemon.\n`);
    }
    return left.length > 0 ? Exit.findings : Exit.ok;
  },
});
