/**
 * The declarations that an entry of the package exports, and those that they use, as text: the contract to compare. Members that
 * are `@internal` are left out.
 */
import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseSync, Visitor } from "oxc-parser";

interface Origin {
  readonly module: string;
  readonly name: string;
}

interface DeclarationModule {
  /** Texts by name; an overloaded function has several. */
  readonly declarations: Map<string, Declaration[]>;
  /** Imported names, of modules of this package. */
  readonly imports: Map<string, Origin>;
  readonly exports: Map<string, Origin>;
  /** Modules of which everything is exported. */
  readonly all: string[];
}

interface Declaration {
  readonly text: string;
  /** Every identifier in it. */
  readonly names: ReadonlySet<string>;
}

const modules = new Map<string, DeclarationModule>();

/** `entry`: the path of a `.d.ts` file. What `contract`, another one, exports is not repeated. */
export function apiReport(entry: string, contract?: string): string {
  const exported = [...exportsOf(entry)].toSorted(([one], [other]) => compare(one, other));
  const elsewhere = contract === undefined ? [] : [...exportsOf(contract).values()];
  const shown = new Set(elsewhere.map((origin) => keyOf(resolve(origin))));
  const waiting: Origin[] = [];
  const blocks = exported.map(([name, origin]) => show(name, origin, shown, waiting));
  const inner: Array<readonly [string, string]> = [];
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    const key = keyOf(next);
    if (!shown.has(key)) inner.push([next.name, show(next.name, next, shown, waiting)]);
  }
  const used = inner.toSorted(([one], [other]) => compare(one, other)).map(([, text]) => text);
  return `${[...blocks, "// Not exported, used by the declarations above:", ...used].join("\n\n")}\n`;
}

const compare = (one: string, other: string): number => (one < other ? -1 : one > other ? 1 : 0);
const keyOf = ({ module, name }: Origin): string => `${module}#${name}`;

function show(exportedAs: string, origin: Origin, shown: Set<string>, waiting: Origin[]): string {
  const { module, name } = resolve(origin);
  shown.add(keyOf({ module, name }));
  const found = moduleOf(module).declarations.get(name);
  if (!found) throw new Error(`There is no declaration of ${exportedAs} in ${module}.`);
  for (const used of found.flatMap(({ names }) => [...names])) {
    const target = targetOf(module, used);
    if (target && !shown.has(keyOf(target))) waiting.push(target);
  }
  const texts = found.map(({ text }) => text).join("\n");
  return exportedAs === name ? texts : `// ${exportedAs}\n${texts}`;
}

/** Where a name that a module uses is declared; `undefined` for names of the language and of other packages. */
function targetOf(module: string, name: string): Origin | undefined {
  const { declarations, imports } = moduleOf(module);
  if (declarations.has(name)) return { module, name };
  const imported = imports.get(name);
  return imported && resolve(imported);
}

function resolve(origin: Origin): Origin {
  const { declarations, exports, all, imports } = moduleOf(origin.module);
  if (declarations.has(origin.name)) return origin;
  const next = [exports.get(origin.name), imports.get(origin.name)].find(
    (each) => each && keyOf(each) !== keyOf(origin),
  );
  if (next) return resolve(next);
  for (const module of all) {
    if (exportsOf(module).has(origin.name)) return resolve({ module, name: origin.name });
  }
  throw new Error(`${origin.module} does not export ${origin.name}.`);
}

function exportsOf(module: string): Map<string, Origin> {
  const { exports, all } = moduleOf(module);
  return new Map([...all.flatMap((other) => [...exportsOf(other)]), ...exports]);
}

function moduleOf(path: string): DeclarationModule {
  const known = modules.get(path) ?? readModule(path);
  modules.set(path, known);
  return known;
}

function readModule(path: string): DeclarationModule {
  const source = readFileSync(path, "utf8");
  const { program, comments, errors } = parseSync(path, source, { lang: "dts" });
  if (errors.length > 0) throw new Error(`${path}: ${errors[0]?.message}`);
  let code = source;
  const remove = ({ start, end }: Span): void => {
    code = code.slice(0, start) + " ".repeat(end - start) + code.slice(end);
  };
  const internal = comments.filter(({ value }) => value.includes("@internal"));
  new Visitor({
    ClassBody: ({ body }) => {
      for (const member of body) {
        const isInternal = internal.some(
          ({ end }) => end < member.start && source.slice(end, member.start).trim() === "",
        );
        if (isInternal) remove(member);
      }
    },
  }).visit(program);
  for (const comment of comments) remove(comment);
  const read: DeclarationModule = {
    declarations: new Map(),
    imports: new Map(),
    exports: new Map(),
    all: [],
  };
  const near = (from: string): string => join(dirname(path), from.replace(/\.js$/, ".d.ts"));
  for (const statement of program.body) {
    switch (statement.type) {
      case "ImportDeclaration":
        for (const each of statement.specifiers) {
          if (!statement.source.value.startsWith(".") || each.type !== "ImportSpecifier") continue;
          const origin = { module: near(statement.source.value), name: nameOf(each.imported) };
          read.imports.set(each.local.name, origin);
        }
        break;
      case "ExportAllDeclaration":
        read.all.push(near(statement.source.value));
        break;
      case "ExportNamedDeclaration":
        for (const { local, exported } of statement.specifiers) {
          const module = statement.source ? near(statement.source.value) : path;
          read.exports.set(nameOf(exported), { module, name: nameOf(local) });
        }
        if (statement.declaration) declare(statement.declaration, statement, true);
        break;
      case "TSImportEqualsDeclaration":
      case "TSExportAssignment":
      case "ExportDefaultDeclaration":
        throw new Error(`${path}: ${statement.type} is not expected`);
      default:
        declare(statement, statement, false);
    }
  }
  return read;

  function declare(node: object, { start, end }: Span, isExported: boolean): void {
    const text = tidied(code.slice(start, end));
    const declaration = { text, names: identifiersIn(code.slice(start, end)) };
    for (const name of declaredNames(node as Declared)) {
      read.declarations.set(name, [...(read.declarations.get(name) ?? []), declaration]);
      if (isExported) read.exports.set(name, { module: path, name });
    }
  }
}

interface Span {
  readonly start: number;
  readonly end: number;
}

interface Declared {
  readonly id?: { readonly name?: string };
  readonly declarations?: ReadonlyArray<{ readonly id: { readonly name?: string } }>;
}

const declaredNames = ({ id, declarations = [] }: Declared): readonly string[] =>
  [id?.name, ...declarations.map((each) => each.id.name)].flatMap((name) => name ?? []);

const nameOf = (node: { readonly name?: string; readonly value?: unknown }): string =>
  node.name ?? String(node.value);

function identifiersIn(text: string): ReadonlySet<string> {
  const names = new Set<string>();
  const { program } = parseSync("part.d.ts", text, { lang: "dts" });
  new Visitor({
    Identifier: ({ name }) => {
      names.add(name);
    },
  }).visit(program);
  return names;
}

/** Without the empty lines that comments leave. */
const tidied = (text: string): string =>
  text
    .split("\n")
    .map((line) => line.trimEnd())
    .filter((line) => line !== "")
    .join("\n");
