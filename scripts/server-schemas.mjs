// Writes plugins/settings/servers/data/NAME.json: the settings of language servers as JSON Schemas. Names, types, choices, ranges and
// defaults come from packages of the npm registry, by version and digest, or from the tables in server-schemas/. Texts are left
// out. With names as arguments, only these.
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { unpackPackage } from "./fetched-tools.mjs";
import { lua } from "./server-schemas/lua.mjs";
import { choice, flag, list } from "./server-schemas/notation.mjs";
import { python } from "./server-schemas/python.mjs";
import { bash, clangd, eslint, json, tailwind, yaml } from "./server-schemas/tables.mjs";
import { typescript } from "./server-schemas/typescript.mjs";

const DATA = fileURLToPath(new URL("../plugins/settings/servers/data", import.meta.url));

const npm = (name, version, sha512, license = "MIT") => ({ name, version, sha512, license });

const PYRIGHT = npm(
  "pyright",
  "1.1.414",
  "FPZZb51jepDX4eP7TEYDeNFtmE3WgwkkEcJpvH3/QmUSsj0EAy3LXu+xB4T/FWDejtsXlCfFr/rbWFjwuwuXww==",
);
const BASEDPYRIGHT = npm(
  "basedpyright",
  "1.40.1",
  "98BUK6yuNcUCgaEVaaFzhW4ReGjB8Tip9XBX4s7rGIsoKtc1Be7O4PB0A8Z4zV42FKvfUR5hwYzRYafU/BVTtQ==",
);
const CSS = npm(
  "vscode-css-languageservice",
  "6.3.10",
  "eq5N9Er3fC4vA9zd9EFhyBG90wtCCuXgRSpAndaOgXMh1Wgep5lBgRIeDgjZBW9pa+332yC9+49cZMW8jcL3MA==",
);
const HTML = npm(
  "coc-html",
  "1.9.0",
  "qzTtyFVBCQLT76aw7VjCY2a+Wc5NDGORaTjcgsQLwA+d4723st3Fdxoq/U/uXZxH1ieeBMlgWBwRrUQyYMxyHg==",
);
const RUST = npm(
  "coc-rust-analyzer",
  "0.75.1",
  "exYKJ1yJ+FBNQD0fKRoQP2ic0XQEf8WySTh+TnTYrxVfDzlV5aLVTEjfd71l58g0diz4znLPbN3lOnCRybSgdQ==",
);
const GO = npm(
  "coc-go",
  "1.3.35",
  "1XHfCsUe8Xcb8EJb0kCXIuCFc7EfNFM4qziZhk/1LcKS9oMWrUCxQqPpYSdpd1XAatTad1KeuRFigPv6aaijiQ==",
);

/** By name: the title, the package, and the properties in it; without a package, a table. */
const servers = {
  basedpyright: {
    title: "basedpyright",
    from: BASEDPYRIGHT,
    read: (file) => python(file("dist/pyright-langserver.js"), "basedpyright"),
  },
  bash: { title: "Bash language server", table: bash },
  clangd: { title: "clangd", table: clangd },
  css: {
    title: "CSS language server",
    from: CSS,
    read: (file) => styles(file("lib/esm/services/lintRules.js")),
  },
  eslint: { title: "ESLint language server", table: eslint },
  gopls: { title: "gopls", from: GO, read: (file) => gopls(JSON.parse(file("package.json"))) },
  html: {
    title: "HTML language server",
    from: HTML,
    read: (file) => html(JSON.parse(file("package.json"))),
  },
  json: { title: "JSON language server", table: json },
  lua: { title: "Lua language server", table: lua },
  pyright: {
    title: "Pyright",
    from: PYRIGHT,
    read: (file) => python(file("dist/pyright-internal.js"), "pyright"),
  },
  "rust-analyzer": {
    title: "rust-analyzer",
    from: RUST,
    read: (file) => contributed(JSON.parse(file("package.json"))),
  },
  tailwind: { title: "Tailwind CSS language server", table: tailwind },
  typescript: { title: "TypeScript language server", table: typescript },
  yaml: { title: "YAML language server", table: yaml },
};

/** Keywords of a schema that say what a value may be. */
const FACTS = new Set([
  ...["type", "default", "enum", "const", "items", "additionalProperties", "properties"],
  ...["patternProperties", "required", "anyOf", "oneOf", "minimum", "maximum", "minItems"],
  ...["maxItems", "uniqueItems", "minLength"],
]);
/** Keywords whose members have names of their own. */
const NAMED = new Set(["properties", "patternProperties"]);

function facts(schema) {
  if (Array.isArray(schema)) return schema.map(facts);
  if (typeof schema !== "object" || schema === null) return schema;
  return Object.fromEntries(
    Object.entries(schema)
      .filter(([key]) => FACTS.has(key))
      .map(([key, value]) => {
        if (NAMED.has(key)) return [key, mapped(value, facts)];
        if (key === "type") return [key, types(value)];
        return [key, ["default", "enum", "const"].includes(key) ? value : facts(value)];
      }),
  );
}

/** Some packages write types of their own, `boolean | string`. */
function types(value) {
  const names = [value].flat().flatMap((each) => String(each).split(/\s*\|\s*/));
  return names.length === 1 ? names[0] : names;
}

const mapped = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value)]));

/** The settings of an extension. */
function contributed({ contributes }) {
  return Object.assign(
    {},
    ...[contributes.configuration].flat().map(({ properties }) => properties),
  );
}

/** Without what only the extension reads. */
function html(manifest) {
  const ours = Object.entries(contributed(manifest)).filter(
    ([key]) => !/^html\.(execArgv|filetypes|enable|trace)/.test(key),
  );
  return Object.fromEntries(ours);
}

function gopls(manifest) {
  const { properties } = contributed(manifest)["go.goplsOptions"];
  return Object.fromEntries(
    Object.entries(properties).map(([key, each]) => [`gopls.${key}`, each]),
  );
}

/** CSS, SCSS and Less have the same settings. */
function styles(code) {
  const rules = [...code.matchAll(/new Rule\('(\w+)',.*, (Ignore|Warning|Error)\)/g)];
  if (rules.length === 0) throw new Error("The rules of the CSS language server are elsewhere.");
  const settings = {
    validate: flag(true),
    "completion.triggerPropertyValueCompletion": flag(true),
    "completion.completePropertyWithSemicolon": flag(true),
    "hover.documentation": flag(true),
    "hover.references": flag(true),
    customData: list(),
    "format.enable": flag(true),
    "format.newlineBetweenSelectors": flag(true),
    "format.newlineBetweenRules": flag(true),
    "format.spaceAroundSelectorSeparator": flag(false),
    "format.braceStyle": choice("collapse", "expand"),
    "format.preserveNewLines": flag(true),
    "format.maxPreserveNewLines": { type: ["number", "null"], default: null },
    "lint.validProperties": list(),
    ...Object.fromEntries(
      rules.map(([, rule, level]) => [
        `lint.${rule}`,
        { type: "string", enum: ["ignore", "warning", "error"], default: level.toLowerCase() },
      ]),
    ),
  };
  return Object.fromEntries(
    ["css", "scss", "less"].flatMap((language) =>
      Object.entries(settings).map(([key, each]) => [`${language}.${key}`, each]),
    ),
  );
}

function write(name) {
  const { title, from, read, table } = servers[name];
  const directory = mkdtempSync(join(tmpdir(), "reeve-schema-"));
  try {
    if (from) unpackPackage({ ...from, tar: ["--strip-components=1"] }, directory);
    const file = (path) => readFileSync(join(directory, path), "utf8");
    const properties = mapped(from ? read(file) : table.properties, facts);
    const source = from ? `${from.name} ${from.version}, ${from.license}` : table.source;
    const $comment = `Generated by scripts/server-schemas.mjs from ${source}.`;
    const lines = Object.entries(properties).map(
      ([key, each]) => `    ${JSON.stringify(key)}: ${JSON.stringify(each)}`,
    );
    const head = JSON.stringify({ $comment, title, type: "object" }, undefined, 2).slice(0, -2);
    const text = `${head},\n  "properties": {\n${lines.join(",\n")}\n  }\n}\n`;
    writeFileSync(join(DATA, `${name}.json`), text);
    process.stdout.write(`${name}: ${lines.length} settings\n`);
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

const named = process.argv.slice(2);
for (const name of named.length > 0 ? named : Object.keys(servers)) write(name);
