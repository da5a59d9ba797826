/** The servers that need no schema file, by name. Their schemas load when they are used. */
import { type JsonSchema, type Server, serverFrom } from "./server.js";

/** Written by scripts/server-schemas.mjs. */
const schemas: Readonly<Record<string, () => Promise<{ readonly default: unknown }>>> = {
  basedpyright: () => import("./data/basedpyright.json", { with: { type: "json" } }),
  bash: () => import("./data/bash.json", { with: { type: "json" } }),
  clangd: () => import("./data/clangd.json", { with: { type: "json" } }),
  css: () => import("./data/css.json", { with: { type: "json" } }),
  eslint: () => import("./data/eslint.json", { with: { type: "json" } }),
  gopls: () => import("./data/gopls.json", { with: { type: "json" } }),
  html: () => import("./data/html.json", { with: { type: "json" } }),
  json: () => import("./data/json.json", { with: { type: "json" } }),
  lua: () => import("./data/lua.json", { with: { type: "json" } }),
  pyright: () => import("./data/pyright.json", { with: { type: "json" } }),
  "rust-analyzer": () => import("./data/rust-analyzer.json", { with: { type: "json" } }),
  tailwind: () => import("./data/tailwind.json", { with: { type: "json" } }),
  typescript: () => import("./data/typescript.json", { with: { type: "json" } }),
  yaml: () => import("./data/yaml.json", { with: { type: "json" } }),
};

const loaders = new Map<string, () => Promise<Server>>([
  ["zls", async () => (await import("./zls/zls.js")).zls],
  ...Object.entries(schemas).map(
    ([name, load]) =>
      [name, async () => knownServer(name, (await load()).default as JsonSchema)] as const,
  ),
]);

/** Keys begin with their sections, as in the settings of VS Code. */
const knownServer = (name: string, schema: JsonSchema): Server => ({
  ...serverFrom(name, schema),
  section: "",
  prefixes: [],
  isValid: true,
  isPartial: true,
});

export const knownServers: readonly string[] = [...loaders.keys()].sort();

/** `undefined` where Reeve has no schema of that name. */
export const loadServer = (name: string): Promise<Server> | undefined => loaders.get(name)?.();

export const loadServers = (): Promise<readonly Server[]> =>
  Promise.all([...loaders.values()].map((load) => load()));

/** Programs with other names than their servers. */
const programs: Readonly<Record<string, string>> = {
  "basedpyright-langserver": "basedpyright",
  "bash-language-server": "bash",
  "lua-language-server": "lua",
  "pyright-langserver": "pyright",
  "tailwindcss-language-server": "tailwind",
  "typescript-language-server": "typescript",
  "vscode-css-language-server": "css",
  "vscode-eslint-language-server": "eslint",
  "vscode-html-language-server": "html",
  "vscode-json-language-server": "json",
  "yaml-language-server": "yaml",
};

/** The server that a program is, by the program's name. */
export const serverOfProgram = (program: string): string =>
  Object.hasOwn(programs, program) ? (programs[program] as string) : program;

/**
 * Names that files may have for other reasons: `html.json` may be a file of snippets. Their settings files end with
 * `.settings.jsonc`.
 */
const common = new Set([
  ...["bash", "css", "eslint", "html", "json", "lua", "tailwind", "typescript", "yaml"],
]);

/** The first part of the names of a server's settings files. */
export const settingsFileStem = (server: string): string =>
  common.has(server) ? `${server}.settings` : server;
