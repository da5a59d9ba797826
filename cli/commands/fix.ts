/** `reeve fix`: applies the fixes of diagnostics. */
import { render } from "../../grammar/index.js";
import { defineCommand, flag, json } from "../plugin-api/command.js";
import { Exit } from "../plugin-api/exit.js";
import { exitFor } from "../print/exit-for.js";
import { replaceFile, shownPath } from "../project/files.js";
import { fileArgument, loadConfiguration, rootFile } from "../project/load.js";
import { repaired } from "./repair.js";

export const command = defineCommand({
  description:
    "Applies the fixes that `reeve check` shows: misspelt or renamed names, syntax of other languages. " +
    "Comments and all other text stay unchanged.",
  arguments: [fileArgument],
  options: { check: flag("write nothing; list the fixes"), json },
  examples: [
    { command: "reeve fix", does: "repairs ./main.reeve and what it imports" },
    { command: "reeve fix --check", does: "in CI: fails where a fix is available" },
  ],
  exits: {
    [Exit.findings]: "with --check: there is something to fix; without: a test still fails",
    [Exit.noInput]: "there is no such file",
    [Exit.cannotCreate]: "a file cannot be written",
    [Exit.configuration]: "errors remain; see `reeve check`",
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
