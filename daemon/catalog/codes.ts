/** Every code of this room: what it is called, why it is there, and a configuration that has it. `E6…` are declarations of plugins. */
import type { ConfigurationCode } from "../config/codes/entry.js";

const main = (plugin: string, module: string) => () => ({
  "main.reeve": plugin,
  "acme.js": module,
});
const ACME = 'plugin "acme" { source = "./acme.js" }\n';

export const CATALOG_CODES = {
  E601: {
    title: "plugin not installed",
    explanation:
      "The package or path that `source` names is not there. Packages are looked for in `node_modules` beside the configuration and in the directories above. The daemon installs nothing by itself.",
    example: 'plugin "acme" { source = "npm:reeve-plugin-not-installed" }\n',
  },
  E602: {
    title: "another version of the plugin",
    explanation: "The plugin is installed in a version that `version` does not cover.",
    example: () => ({
      "main.reeve": 'plugin "acme" { source = "./acme"; version = "^2.1" }\n',
      "acme/package.json": '{ "version": "1.4.0", "main": "acme.js" }',
      "acme/acme.js": "",
    }),
  },
  E603: {
    title: "plugin that cannot be loaded",
    explanation: "Its module is not there, fails while it is imported, or takes too long.",
    example: main(ACME, 'throw new Error("the licence has expired");\n'),
  },
  E604: {
    title: "plugin for another contract",
    explanation:
      "The plugin is written for another version of the plugin contract (`api`). Update whichever of plugin and daemon is older.",
    example: main(
      ACME,
      'export default { id: "acme", title: "Acme", api: 999, blocks: {}, setup() {} };\n',
    ),
  },
  E605: {
    title: "not a plugin",
    explanation:
      "A plugin is a module whose default export is what `definePlugin` gives. The message names what is missing.",
    example: main(ACME, "export const plugin = {};\n"),
  },
  E606: {
    title: "two plugins with one id",
    explanation:
      "State, logs and metrics of a plugin are kept under its id, so it is loaded once. Remove one of the declarations.",
    example: main(
      `${ACME}plugin "again" { source = "./acme.js" }\n`,
      'export default { id: "acme", title: "Acme", api: 1, blocks: {}, setup() {} };\n',
    ),
  },
  E607: {
    title: "isolation that the plugin does not support",
    explanation: "The plugin says where its code can run; `isolation` asks for another place.",
    example: main(
      'plugin "acme" { source = "./acme.js"; isolation = "process" }\n',
      'export default { id: "acme", title: "Acme", api: 1, blocks: {}, isolation: { default: "worker", supports: ["worker"] }, setup() {} };\n',
    ),
  },
  E608: {
    title: "not a range of versions",
    explanation: "`version` is a range as npm writes it: `^2.1`, `>=1.4 <3`, `2.x`.",
    example: () => ({
      "main.reeve": 'plugin "acme" { source = "./acme"; version = "newest" }\n',
      "acme/package.json": '{ "version": "1.4.0", "main": "acme.js" }',
      "acme/acme.js": "",
    }),
  },
} as const satisfies Record<string, ConfigurationCode>;
