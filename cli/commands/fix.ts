/** `reeve fix`: repairs that need no thinking. */
import { render } from "../../grammar/index.js";
import { defineCommand, flag, json } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { exitFor } from "../print/exit-for.js";
import { replaceFile, shownPath } from "../project/files.js";
import { fileArgument, loadConfiguration, rootFile } from "../project/load.js";
import { repaired } from "./repair.js";

export const command = defineCommand({
  description:
    "Applies the fixes that `reeve check` shows: names that are misspelt or have changed, signs of other languages. " +
    "Comments and everything else stay as they are.",
  arguments: [fileArgument],
  options: { check: flag("write nothing; say what would be fixed"), json },
  examples: [
    { command: "reeve fix", does: "repairs ./main.reeve and what it imports" },
    { command: "reeve fix --check", does: "in CI: fails when there is something to repair" },
  ],
  exits: {
    [Exit.findings]: "with --check: there is something to fix; without: a test still fails",
    [Exit.noInput]: "there is no such file",
    [Exit.cannotCreate]: "a file cannot be written",
    [Exit.configuration]: "what is left needs a person; see `reeve check`",
  },
  async run({ arguments: [file], options: { check, json: asJson }, output }) {
    const root = rootFile(file);
    const { fixed, texts, rest } = await repaired((overlay) =>
      loadConfiguration(root, { overlay }),
    );
    if (!check) for (const [path, text] of texts) await replaceFile(path, text);
    const left = rest.diagnostics.filter(({ severity }) => severity !== "info").length;
    if (asJson)
      output.json({ fixes: fixed, files: [...texts.keys()].map((path) => shownPath(path)), left });
    else {
      for (const { file, line, column, title } of fixed) {
        output.out.line(`${file}:${line}:${column}: ${title}`);
      }
      if (fixed.length === 0) output.err.line("There is nothing to fix.");
      if (left > 0)
        output.err.write(render(rest.diagnostics, rest.sources, { colour: output.err.colour }));
    }
    return check && fixed.length > 0 ? Exit.findings : exitFor(rest.diagnostics);
  },
});
