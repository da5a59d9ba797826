/** The plugin's part of the language. */
import { type Configuration, c } from "reeve/plugin";
import { DIALECTS } from "./read/dialect.js";

const settings = c.block({
  doc: "The settings of one language server: watched, checked, and delivered while it runs.",
  label: c
    .string()
    .pattern("^[A-Za-z0-9_][A-Za-z0-9_.-]*$", "letters, digits, `_`, `-` and `.`")
    .doc("The server's name; also its schema's, unless `schema` names another."),
  examples: [
    'settings "zls" {\n  watch = ["~/.config/zls.json5"]\n}',
    'settings "pyright" {\n  schema = "./pyright.schema.json"\n  section = "python"\n  watch = ["./pyright.jsonc"]\n}',
  ],
  attrs: {
    schema: c
      .string()
      .min(1)
      .optional()
      .doc(
        "A schema that Reeve knows (`zls`, `pyright`, `yaml`), or the path of a JSON Schema of draft-04, draft-07 or 2020-12, or of the `package.json` of a VS Code extension, beside the configuration.",
      )
      .example('"./my.schema.json"'),
    section: c
      .union(c.string().min(1), c.list(c.string().min(1), { minItems: 1 }))
      .optional()
      .doc(
        "The name under which the server asks for its settings, where it is not the schema's. Where keys begin with their sections, one name selects its section, whose keys are written without it; a list selects several, whose keys stay whole.",
      )
      .example('["python", "pyright"]'),
    watch: c
      .list(c.string().min(1), { minItems: 1 })
      .doc(
        "The settings files, by path or pattern; `~/` is the home directory. Later ones win, key by key.",
      )
      .example('["~/.config/zls.json"]'),
    workspace: c
      .list(c.string().min(1))
      .default("[]")
      .doc("Files of the project. They win over those of `watch`.")
      .example('["./zls.jsonc"]'),
    override: c
      .map(c.any())
      .default("{}")
      .doc("Settings that win over every file and every editor.")
      .example("{ warn_style = true }"),
    dialect: c
      .oneOf(...DIALECTS)
      .optional()
      .doc("How the files are written. Left out: by their names, and JSON where they do not tell."),
    debounce: c
      .duration()
      .min(0)
      .max(10_000)
      .default("20ms")
      .doc("How long a file must have been quiet before it is read."),
    write: c
      .string()
      .min(1)
      .optional()
      .doc(
        "Where to write what is set as one JSON file, for servers that only read files. It is replaced whole.",
      )
      .example('"./.zls.json"'),
  },
});

export const blocks = { settings };

export type SettingsConfiguration = Configuration<typeof blocks>;
export type SettingsBlock = SettingsConfiguration["blocks"]["settings"][number];
