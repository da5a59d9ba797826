/** `reeve schema export`: what configurations can say, for editors, pages and other programs. */

import type { BoundPlugin } from "../../../daemon/config/program.js";
import { functionReference } from "../../../daemon/config/schema/function-reference.js";
import { jsonSchemaOf } from "../../../daemon/config/schema/json-schema.js";
import { referenceOf } from "../../../daemon/config/schema/reference.js";
import { render } from "../../../grammar/index.js";
import { choice, defineCommand } from "../../command.js";
import { fileArgument, loadConfiguration, pluginCatalog, rootFile } from "../../configuration.js";
import { Exit } from "../../exit.js";

export const command = defineCommand({
  description:
    "Without a file: the built-in plugins. With one: those and the plugins it declares. A JSON Schema describes " +
    "configurations in their JSON form, *.reeve.json; a reference is Markdown; a descriptor is everything a plugin " +
    "says of its blocks and functions, which an editor can use without running the plugin.",
  arguments: [
    { ...fileArgument, summary: "the root file that declares plugins, or its directory" },
  ],
  options: {
    format: choice(["json-schema", "reference", "descriptor"], "what to print", {
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
      output.err.write(render(loaded.diagnostics, loaded.sources, { colour: output.err.colour }));
      return Exit.configuration;
    }
    const declarations = loaded?.program?.declarations ?? [];
    const { plugins } = await pluginCatalog().bind(declarations, root ?? process.cwd());
    if (format === "json-schema") output.json(jsonSchemaOf(plugins));
    else if (format === "descriptor") output.json({ plugins: plugins.map(descriptorOf) });
    else output.out.write(pages(plugins));
    return Exit.ok;
  },
});

const descriptorOf = ({ namespace, description }: BoundPlugin): object => ({
  ...(namespace === undefined ? {} : { namespace }),
  ...description,
});

const pages = (plugins: readonly BoundPlugin[]): string =>
  [...plugins.map(referenceOf), `# Functions\n\n${functionReference()}\n`].join("\n");
