/** `reeve convert`: a file in the other of the two forms a configuration can have. */
import { resolve } from "node:path";
import { render } from "../../grammar/index.js";
import { choice, defineCommand } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { readText, shownPath } from "../project/files.js";

export const command = defineCommand({
  description:
    "A *.reeve file becomes what *.reeve.json has for it, and the other way round; the result is printed. " +
    "Programs write JSON more easily, and both can be imported. Comments are left behind, except for `##` comments of blocks.",
  arguments: [{ name: "FILE", summary: "a *.reeve or *.reeve.json file", required: true }],
  options: {
    to: choice(["json", "reeve"], "the form that is wanted (default: the other one)"),
  },
  examples: [
    { command: "reeve convert main.reeve", does: "prints the JSON form" },
    {
      command: "reeve convert made.reeve.json > made.reeve",
      does: "writes what a program made as people write it",
    },
  ],
  exits: {
    [Exit.noInput]: "there is no such file",
    [Exit.configuration]: "the file has a syntax error",
  },
  async run({ arguments: [file = ""], options: { to }, output }) {
    const isJson = file.endsWith(".json");
    const wanted = to ?? (isJson ? "reeve" : "json");
    if ((wanted === "json") === isJson) {
      throw new Failure(Exit.usage, `\`${file}\` has the form \`${wanted}\` already`);
    }
    const source = { path: shownPath(resolve(file)), text: await readText(file) };
    const converted = isJson
      ? (await import("../../daemon/config/json/print.js")).toReeveText(source)
      : (await import("../../daemon/config/json/write.js")).toJsonText(source);
    if ("text" in converted) {
      output.out.write(converted.text);
      return Exit.ok;
    }
    const sources = new Map([[source.path, source]]);
    output.err.write(render(converted.diagnostics, sources, { colour: output.err.colour }));
    return Exit.configuration;
  },
});
