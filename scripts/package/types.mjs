// Copies the type declarations of the public modules, and those of other packages that they mention: the package has no such
// dependency, and its types are complete nevertheless.
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { dirname, join, relative } from "node:path";
import { parseSync } from "oxc-parser";

/** `entries` are below the project; returns the files that were read. */
export function copyTypes(entries, stage) {
  const done = new Map();
  for (const entry of entries) copy(entry.replace(/^\.\//, ""));
  return [...done.keys()];

  /** Copies a declaration with all that it mentions; returns where it is below `stage`. */
  function copy(file) {
    const known = done.get(file);
    if (known !== undefined) return known;
    const target = targetOf(file);
    done.set(file, target);
    let text = readFileSync(file, "utf8");
    for (const { start, end, value } of mentioned(file, text).reverse()) {
      const found = declarationOf(value, file);
      if (found === undefined) continue;
      const way = relative(dirname(target), copy(found)).replace(/\.d\.([cm]?)ts$/, ".$1js");
      const specifier = way.startsWith(".") ? way : `./${way}`;
      text = text.slice(0, start) + JSON.stringify(specifier) + text.slice(end);
    }
    mkdirSync(dirname(join(stage, target)), { recursive: true });
    writeFileSync(join(stage, target), text.replace(/^\/\/# sourceMappingURL=.*\n?/m, ""));
    return target;
  }

  function targetOf(file) {
    const match = /^(.*node_modules\/)((?:@[^/]+\/)?[^/]+)\/(.*)$/.exec(file);
    if (!match) return file;
    const [, parents, name, rest] = match;
    const target = join("dist/types", name);
    const own = join(stage, target, "package.json");
    const folder = join(parents, name);
    const { version, type, license } = JSON.parse(
      readFileSync(join(folder, "package.json"), "utf8"),
    );
    if (!existsSync(own)) {
      mkdirSync(dirname(own), { recursive: true });
      // Says whether the declarations are of ES modules.
      writeFileSync(
        own,
        `${JSON.stringify({ name, version, type, license, private: true }, null, 2)}\n`,
      );
      for (const text of globSync("LICEN[SC]E*", { cwd: folder })) {
        cpSync(join(folder, text), join(stage, target, text));
      }
    }
    return join(target, rest);
  }
}

/** The module names in a file, as literals with their offsets, in order. */
function mentioned(file, text) {
  const found = [];
  const visit = (node) => {
    if (typeof node !== "object" || node === null) return;
    if (Array.isArray(node)) return node.forEach(visit);
    const literal =
      node.type === "TSImportType"
        ? node.source
        : node.type === "TSExternalModuleReference"
          ? node.expression
          : /^(Import|Export(Named|All))Declaration$/.test(node.type) && node.source;
    if (literal) found.push(literal);
    for (const [name, child] of Object.entries(node)) if (name !== "source") visit(child);
  };
  visit(parseSync(file, text, { lang: "dts" }).program);
  return found.sort((one, other) => one.start - other.start);
}

/** The file of declarations that a module name means; nothing for Node's own. */
function declarationOf(specifier, from) {
  if (isBuiltin(specifier)) return undefined;
  if (specifier.startsWith(".")) return besides(join(dirname(from), specifier));
  const [, name, rest] = /^((?:@[^/]+\/)?[^/]+)(\/.*)?$/.exec(specifier);
  for (let folder = dirname(from); ; folder = dirname(folder)) {
    const found = inPackage(join(folder, "node_modules", name), rest);
    if (found !== undefined) return found;
    if (folder === ".") throw new Error(`${from} mentions ${specifier}, which has no types`);
  }
}

function inPackage(folder, rest) {
  if (!existsSync(join(folder, "package.json"))) return undefined;
  const { exports, types, typings } = JSON.parse(
    readFileSync(join(folder, "package.json"), "utf8"),
  );
  const entry = exports?.[rest ? `.${rest}` : "."] ?? (rest ? undefined : exports);
  const named = typesOf(entry) ?? (rest ? `.${rest}` : (types ?? typings ?? "./index.d.ts"));
  return besides(join(folder, named));
}

function typesOf(entry) {
  if (typeof entry === "string") return entry;
  if (typeof entry !== "object" || entry === null) return undefined;
  return typesOf(entry.types ?? entry.import ?? entry.node ?? entry.default ?? entry.require);
}

function besides(path) {
  const candidates = [
    path.replace(/\.([cm]?)js$/, ".d.$1ts"),
    `${path}.d.ts`,
    join(path, "index.d.ts"),
  ];
  return candidates.find((each) => /\.d\.[cm]?ts$/.test(each) && existsSync(each));
}
