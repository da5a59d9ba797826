/** `reeve convert`: a configuration file as JSON, or back. */
import { resolve } from "node:path";
import { render } from "../../grammar/index.js";
import { choice, defineCommand } from "../plugin-api/command.js";
import { Exit, Failure } from "../plugin-api/exit.js";
import { readText, shownPath } from "../project/files.js";

export const command = defineCommand({
  description:
    "Prints a *.reeve file as *.reeve.json, or the other way round. " +
    "Both can be imported; JSON is easier to generate. Comments are dropped, except `##` comments of blocks.",
  arguments: [{ name: "FILE", summary: "a *.reeve or *.reeve.json file", required: true }],
  options: {
    to: choice(["json", "reeve"], "the target format (default: the other one)"),
  },
  examples: [
    { command: "reeve convert main.reeve", does: "prints the JSON form" },
    {
      command: "reeve convert made.reeve.json > made.reeve",
      does: "converts a generated file to the language",
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
      throw new Failure(Exit.usage, `\`${file}\` is already in the format \`${wanted}\``);
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
