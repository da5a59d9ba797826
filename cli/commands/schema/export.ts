/** `reeve schema export`: the schema of configurations, for editors and other programs. */

import { choice, defineCommand } from "../../plugin-api/command.js";
import { Exit } from "../../plugin-api/exit.js";
import { fileArgument, loadConfiguration, pluginCatalog, rootFile } from "../../project/load.js";
import { FORMATS } from "./formats.js";

export const command = defineCommand({
  description:
    "Without a file: the built-in plugins. With one: those and the plugins it declares. A JSON Schema describes " +
    "configurations in their JSON form, *.reeve.json; a reference is Markdown; a descriptor is everything a plugin " +
    "declares of its blocks and functions, for editors that do not run the plugin.",
  arguments: [
    { ...fileArgument, summary: "the root file that declares plugins, or its directory" },
  ],
  options: {
    format: choice(FORMATS, "what to print", {
      fallback: "json-schema",
    }),
  },
  examples: [
    {
      command: "reeve schema export > reeve.schema.json",
      does: "for editors that know JSON Schema",
    },
    {
      command: "reeve schema export --format reference",
      does: "a page about every block and function",
    },
    {
      command: "reeve schema export --format descriptor .",
      does: "with the plugins of ./main.reeve",
    },
  ],
  exits: {
    [Exit.noInput]: "there is no such file",
    [Exit.configuration]: "the configuration is invalid",
  },
  async run({ arguments: [file], options: { format }, output }) {
    const root = file === undefined ? undefined : rootFile(file);
    const loaded = root === undefined ? undefined : await loadConfiguration(root);
    if (loaded && !loaded.program) {
      const { render } = await import("../../../grammar/index.js");
      output.err.write(render(loaded.diagnostics, loaded.sources, { colour: output.err.colour }));
      return Exit.configuration;
    }
    const declarations = loaded?.program?.declarations ?? [];
    const catalog = await pluginCatalog();
    const { plugins } = await catalog.bind(declarations, root ?? process.cwd());
    const { exported } = await import("./schema-text.js");
    output.out.write(exported(plugins, format));
    return Exit.ok;
  },
});
