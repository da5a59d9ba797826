/** Definitions and uses of names in one file, found in its tree alone. */
import { dirname, resolve } from "node:path";
import { accessPath, type PathStep } from "../../../daemon/config/evaluate/steps.js";
import { blockKey } from "../../../daemon/config/keys.js";
import type {
  BlockNode,
  CallArgument,
  Comprehension,
  ExpressionNode,
  File,
  Import,
  Item,
  Let,
  Mixin,
  Name,
  ParameterNode,
  Span,
} from "../../../grammar/tree.js";
import { memberPaths, referencedBlock } from "./references.js";
import {
  type FileSymbols,
  letKey,
  mixinKey,
  parameterKey,
  type SymbolKind,
  type SymbolUse,
  VisibleNames,
} from "./symbol.js";
import { childrenOf, kindOf, labelsOf, type TreeNode, writtenKind } from "./syntax.js";

/** `kinds`: the kinds of blocks that references can name. */
export function symbolsOf(path: string, tree: File, kinds: ReadonlySet<string>): FileSymbols {
  const walk = new SymbolWalk(path, kinds);
  walk.body(tree.items, new VisibleNames(undefined));
  return walk;
}

class SymbolWalk implements FileSymbols {
  readonly uses: SymbolUse[] = [];
  readonly imports: Array<{ path: string; node: Import }> = [];
  readonly members = new Set<string>();
  readonly #path: string;
  readonly #kinds: ReadonlySet<string>;
  readonly #aliases = new Map<string, string>();
  /** The kinds of the blocks around the current item. */
  readonly #blocks: string[] = [];
  readonly #users = new Map<string, Array<readonly string[]>>();

  constructor(path: string, kinds: ReadonlySet<string>) {
    this.#path = path;
    this.#kinds = kinds;
  }

  usersOf(mixin: string): ReadonlyArray<readonly string[]> {
    return this.#users.get(mixin) ?? [];
  }

  /** No `scope`: at the top of the file. */
  body(items: readonly Item[], names: VisibleNames, scope?: Span, mixin?: string): void {
    for (const item of items) if (item.kind === "import") this.#import(item);
    for (const item of items)
      if (item.kind === "let" || item.kind === "param") this.#let(item, names, scope, mixin);
      else if (item.kind === "mixin") this.#mixin(item);
    for (const item of items) this.#item(item, names);
  }

  #import(node: Import): void {
    if (node.path.kind !== "string") return;
    const path = resolve(dirname(this.#path), node.path.value);
    this.imports.push({ path, node });
    if (!node.alias) return;
    this.#aliases.set(node.alias.text, path);
    const key = `alias ${this.#path}#${node.alias.text}`;
    this.#define("alias", key, node.alias, node);
  }

  #let(node: Let | ParameterNode, names: VisibleNames, scope?: Span, mixin?: string): void {
    const { text, start } = node.name;
    const inner =
      node.kind === "param" && mixin !== undefined
        ? parameterKey(this.#path, mixin, text)
        : letKey(this.#path, `${text}@${start}`);
    const key = scope ? inner : letKey(this.#path, text);
    names.lets.set(text, key);
    this.#define("let", key, node.name, node, scope);
  }

  /** The arguments of a `use` or `import`. */
  #arguments(
    given: readonly CallArgument[],
    names: VisibleNames,
    keyOf: ((name: string) => string) | undefined,
  ): void {
    for (const { name, value } of given) {
      if (name && keyOf) this.#refer("let", keyOf(name.text), name);
      this.#visit(value, names);
    }
  }

  #mixin(node: Mixin): void {
    const { label } = node;
    if (label.kind !== "string") return;
    this.uses.push({
      key: mixinKey(this.#path, label.value),
      kind: "mixin",
      name: label.value,
      span: label,
      isDefinition: true,
      item: node,
      ...(node.doc === undefined ? {} : { doc: node.doc }),
    });
  }

  #define(kind: SymbolKind, key: string, name: Name, item: Item, scope?: Span): void {
    this.uses.push({
      key,
      kind,
      name: name.text,
      span: name,
      isDefinition: true,
      item,
      ...(scope ? { scope } : {}),
      ...(item.kind === "param" ? { isParameter: true } : {}),
      ...(item.doc === undefined ? {} : { doc: item.doc }),
    });
  }

  #item(item: Item, names: VisibleNames): void {
    switch (item.kind) {
      case "block":
        this.#block(item);
        for (const label of item.labels) this.#visit(label, names);
        this.#blocks.push(writtenKind(item));
        this.body(item.body.items, new VisibleNames(names), item.body);
        this.#blocks.pop();
        break;
      case "mixin": {
        const name = item.label.kind === "string" ? item.label.value : undefined;
        this.body(item.body.items, new VisibleNames(names), item.body, name);
        break;
      }
      case "import": {
        const { path, arguments: given = [] } = item;
        this.#visit(path, names);
        const file = path.kind === "string" ? resolve(dirname(this.#path), path.value) : undefined;
        this.#arguments(given, names, file ? (name) => letKey(file, name) : undefined);
        break;
      }
      case "for": {
        this.#visit(item.iterable, names);
        const inner = new VisibleNames(names);
        for (const name of [item.key, item.variable])
          if (name) this.#variable(name, item.body, inner);
        this.body(item.body.items, inner, item.body);
        break;
      }
      case "if":
        this.#visit(item.test, names);
        this.body(item.consequent.items, new VisibleNames(names), item.consequent);
        if (item.alternate)
          this.body(item.alternate.items, new VisibleNames(names), item.alternate);
        break;
      case "use":
        this.#use(item.target, names);
        break;
      default:
        for (const child of childrenOf(item))
          if (kindOf(child) !== "name") this.#visit(child, names);
    }
  }

  #block(node: BlockNode): void {
    const labels = labelsOf(node);
    const last = node.labels.at(-1);
    const known = labels.filter((label) => label !== undefined);
    if (!last || known.length < labels.length || !this.#kinds.has(writtenKind(node))) return;
    this.uses.push({
      key: `block ${blockKey(writtenKind(node), known)}`,
      kind: "block",
      name: known.at(-1) ?? "",
      span: last,
      isDefinition: true,
      item: node,
      ...(node.doc === undefined ? {} : { doc: node.doc }),
    });
  }

  #variable(name: Name, scope: Span, names: VisibleNames): void {
    const key = `variable ${this.#path}#${name.start}`;
    names.variables.set(name.text, key);
    this.uses.push({
      key,
      kind: "variable",
      name: name.text,
      span: name,
      isDefinition: true,
      item: name,
      scope,
    });
  }

  #visit(node: TreeNode, names: VisibleNames): void {
    const kind = kindOf(node);
    if (kind === "name" || kind === "member" || kind === "index") {
      this.#pathOfNames(node as ExpressionNode, names);
      return;
    }
    if (kind === "call") {
      const { callee, arguments: given } = node as Extract<ExpressionNode, { kind: "call" }>;
      if (callee.kind !== "name" && callee.kind !== "member") this.#visit(callee, names);
      for (const { value } of given) this.#visit(value, names);
      return;
    }
    if (kind === "entry") {
      const { key, value } = node as Extract<TreeNode, { kind: "entry" }>;
      if (key.kind === "template") this.#visit(key, names);
      this.#visit(value, names);
      return;
    }
    if (kind === "comprehension") {
      this.#comprehension(node as Comprehension, names);
      return;
    }
    for (const child of childrenOf(node)) this.#visit(child, names);
  }

  /** Its variables are visible in all of its parts but the collection. */
  #comprehension(node: Comprehension, names: VisibleNames): void {
    const { key, variable, iterable, test, name, body } = node;
    this.#visit(iterable, names);
    const inner = new VisibleNames(names);
    for (const each of [key, variable]) if (each) this.#variable(each, node, inner);
    for (const part of [test, name, body]) if (part) this.#visit(part, inner);
  }

  #pathOfNames(node: ExpressionNode, names: VisibleNames): void {
    const { base, steps } = accessPath(node);
    for (const step of steps)
      if (step.kind === "index" && step.index) this.#visit(step.index, names);
    if (base.kind !== "name") {
      this.#visit(base, names);
      return;
    }
    const [first, second] = steps;
    const variable = names.variable(base.text);
    const alias = this.#aliases.get(base.text);
    if (base.text === "let" && first?.kind === "member") {
      const key = names.let(first.name.text) ?? letKey(this.#path, first.name.text);
      this.#refer("let", key, first.name);
    } else if (variable !== undefined) this.#refer("variable", variable, base);
    else if (alias !== undefined) {
      this.#refer("alias", `alias ${this.#path}#${base.text}`, base);
      if (first?.kind === "member" && first.name.text === "let" && second?.kind === "member")
        this.#refer("let", letKey(alias, second.name.text), second.name);
    } else if (!this.#blockReference(base, steps))
      for (const path of memberPaths(base, steps)) this.members.add(path);
  }

  #blockReference(base: Name, steps: readonly PathStep[]): boolean {
    const found = referencedBlock(base, steps, this.#kinds);
    if (found?.use) this.uses.push(found.use);
    return found !== undefined;
  }

  #use(target: ExpressionNode, names: VisibleNames): void {
    const callee = target.kind === "call" ? target.callee : target;
    const { base, steps } = accessPath(callee);
    const given = target.kind === "call" ? target.arguments : [];
    if (base.kind !== "name") {
      this.#arguments(given, names, undefined);
      this.#visit(callee, names);
      return;
    }
    const alias = this.#aliases.get(base.text);
    const [first, second] = steps;
    const name = steps.at(-1);
    const owner = base.text === "mixin" ? this.#path : alias;
    const mixin = name?.kind === "member" ? name.name.text : undefined;
    const keyOf =
      owner !== undefined && mixin !== undefined
        ? (each: string) => parameterKey(owner, mixin, each)
        : undefined;
    this.#arguments(given, names, keyOf);
    if (name?.kind === "member") {
      const users = this.#users.get(name.name.text) ?? [];
      this.#users.set(name.name.text, [...users, this.#blocks.slice()]);
    }
    if (base.text === "mixin" && first?.kind === "member")
      this.#refer("mixin", mixinKey(this.#path, first.name.text), first.name);
    else if (alias !== undefined && second?.kind === "member") {
      this.#refer("alias", `alias ${this.#path}#${base.text}`, base);
      this.#refer("mixin", mixinKey(alias, second.name.text), second.name);
    }
  }

  #refer(kind: SymbolKind, key: string, name: Name): void {
    this.uses.push({ key, kind, name: name.text, span: name, isDefinition: false });
  }
}
