/** An example of every code: a configuration that has it, and the plugins that it needs. */
import { createCatalog } from "../daemon/catalog/catalog.js";
import { CATALOG_CODES } from "../daemon/catalog/codes.js";
import type { ConfigurationCode } from "../daemon/config/codes/entry.js";
import { programCodes } from "../daemon/config/codes/program.js";
import { CONFIG_CODES } from "../daemon/config/codes.js";
import { catalog as testCatalog } from "../daemon/config/testing/catalog.js";
import { HOST_CODES } from "../daemon/host/codes.js";
import { SYNTAX_CODES } from "../grammar/codes.js";
import { codes as firewall } from "../plugins/firewall/codes.js";
import { codes as hooks } from "../plugins/hooks/codes.js";
import { codes as settings } from "../plugins/settings/codes.js";
import { codes as updates } from "../plugins/updates/codes.js";

type Example = ConfigurationCode["example"];

export interface PluginCode {
  readonly title: string;
  readonly explanation: string;
  readonly example?: Example;
  /** Why no configuration has it by itself. */
  readonly reason?: string;
}

/** By plugin. */
export const pluginCodes: Readonly<Record<string, Readonly<Record<string, PluginCode>>>> = {
  hooks,
  firewall,
  updates,
  settings,
};

export const named = (plugin: string): ReadonlyArray<readonly [string, PluginCode]> =>
  Object.entries(pluginCodes[plugin] ?? {}).map(([code, entry]) => [`${plugin}.${code}`, entry]);

/** Codes that no configuration has by its text alone. */
export const withoutExample: Readonly<Record<string, string>> = {
  E040: "A longer file is refused when it is read (E406), before it is parsed.",
  E050: "It is about the layout of a file: `reeve fmt --check` reports it.",
  E112: "A failure inside the daemon's catalog of plugins.",
  E410: "A limit that other limits precede on a disk.",
  E651: "It is found when the plugin's `setup` runs.",
  E652: "It is found when the plugin's `prepare` runs.",
  W651: "It depends on failures of the running plugin.",
  ...Object.fromEntries(
    Object.keys(pluginCodes)
      .flatMap(named)
      .flatMap(([code, { reason }]) => (reason === undefined ? [] : [[code, reason]])),
  ),
};

export interface DiagnosticCase {
  readonly code: string;
  readonly files: Readonly<Record<string, string | Uint8Array>>;
  readonly plugins: "real" | "none" | "of the tests";
}

const ofPlugins = Object.keys(pluginCodes).flatMap(named);
type Examples = ReadonlyArray<
  readonly [string, { readonly title: string; readonly example?: Example }]
>;
const ofSyntax: Examples = Object.entries(SYNTAX_CODES);
const ofPrograms: Examples = Object.entries(CONFIG_CODES);
const ofCatalog: Examples = Object.entries(CATALOG_CODES);
const examples: Examples = [...ofSyntax, ...ofPrograms, ...ofCatalog, ...ofPlugins];

export const everyCode: readonly string[] = [
  ...new Set([...examples.map(([code]) => code), ...Object.keys(HOST_CODES)]),
];

export const cases: readonly DiagnosticCase[] = examples.flatMap(([code, { example }]) => {
  if (example === undefined || code in withoutExample) return [];
  const files = typeof example === "string" ? { "main.reeve": example } : example();
  const isReal = code in programCodes || code.includes(".");
  const plugins = isReal ? "real" : code in CATALOG_CODES ? "none" : "of the tests";
  return [{ code, files, plugins }];
});

export const catalogOf = ({ plugins }: DiagnosticCase) =>
  plugins === "of the tests"
    ? { ...testCatalog, close: async () => undefined }
    : createCatalog(plugins === "none" ? { builtins: [] } : {});
