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
      "The package or path in `source` does not exist. The daemon searches for packages in `node_modules` beside the configuration and in the directories above. It installs nothing by itself.",
    example: 'plugin "acme" { source = "npm:reeve-plugin-not-installed" }\n',
  },
  E602: {
    title: "plugin version mismatch",
    explanation: "The installed version of the plugin does not satisfy `version`.",
    example: () => ({
      "main.reeve": 'plugin "acme" { source = "./acme"; version = "^2.1" }\n',
      "acme/package.json": '{ "version": "1.4.0", "main": "acme.js" }',
      "acme/acme.js": "",
    }),
  },
  E603: {
    title: "plugin cannot be loaded",
    explanation: "Its module is not there, fails while it is imported, or takes too long.",
    example: main(ACME, 'throw new Error("the licence has expired");\n'),
  },
  E604: {
    title: "incompatible plugin API",
    explanation:
      "The plugin uses another version of the plugin contract (`api`). Update the older of plugin and daemon.",
    example: main(
      ACME,
      'export default { id: "acme", title: "Acme", api: 999, blocks: {}, setup() {} };\n',
    ),
  },
  E605: {
    title: "not a plugin",
    explanation:
      "The default export of a plugin module is the result of `definePlugin`. The message names what is missing.",
    example: main(ACME, "export const plugin = {};\n"),
  },
  E606: {
    title: "duplicate plugin id",
    explanation:
      "The daemon stores a plugin's state, logs and metrics under its id, so each id is loaded once. Remove one of the declarations.",
    example: main(
      `${ACME}plugin "again" { source = "./acme.js" }\n`,
      'export default { id: "acme", title: "Acme", api: 1, blocks: {}, setup() {} };\n',
    ),
  },
  E607: {
    title: "unsupported isolation",
    explanation: "The plugin declares which isolations it supports; `isolation` sets another one.",
    example: main(
      'plugin "acme" { source = "./acme.js"; isolation = "process" }\n',
      'export default { id: "acme", title: "Acme", api: 1, blocks: {}, isolation: { default: "worker", supports: ["worker"] }, setup() {} };\n',
    ),
  },
  E608: {
    title: "invalid version range",
    explanation: "`version` is an npm version range: `^2.1`, `>=1.4 <3`, `2.x`.",
    example: () => ({
      "main.reeve": 'plugin "acme" { source = "./acme"; version = "newest" }\n',
      "acme/package.json": '{ "version": "1.4.0", "main": "acme.js" }',
      "acme/acme.js": "",
    }),
  },
} as const satisfies Record<string, ConfigurationCode>;
