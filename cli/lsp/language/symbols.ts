/** Definitions and uses of names in one file, found in its tree alone. */
import { dirname, resolve } from "node:path";
import { accessPath, type PathStep } from "../../../daemon/config/evaluate/steps.js";
import { blockKey } from "../../../daemon/config/keys.js";
import type {
  BlockNode,
  Comprehension,
  ExpressionNode,
  File,
  Import,
  Item,
  Let,
  Mixin,
  Name,
  Span,
} from "../../../grammar/tree.js";
import {
  type FileSymbols,
  letKey,
  mixinKey,
  type SymbolKind,
  type SymbolUse,
  VisibleNames,
} from "./symbol.js";
import { childrenOf, kindOf, labelsOf, type TreeNode, writtenKind } from "./syntax.js";

/** `kinds`: the kinds of blocks that references can name. */
export function symbolsOf(path: string, tree: File, kinds: ReadonlySet<string>): FileSymbols {
  const walk = new SymbolWalk(path, kinds);
  walk.body(tree.items, new VisibleNames(undefined), tree, true);
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

  body(items: readonly Item[], names: VisibleNames, scope: Span, isTop = false): void {
    for (const item of items) if (item.kind === "import") this.#import(item);
    for (const item of items)
      if (item.kind === "let") this.#let(item, names, scope, isTop);
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

  #let(node: Let, names: VisibleNames, scope: Span, isTop: boolean): void {
    const { text, start } = node.name;
    const key = isTop ? letKey(this.#path, text) : letKey(this.#path, `${text}@${start}`);
    names.lets.set(text, key);
    this.#define("let", key, node.name, node, isTop ? undefined : scope);
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
      case "mixin":
        this.body(item.body.items, new VisibleNames(names), item.body);
        break;
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
    } else if (!this.#blockReference(base, steps)) this.#member(base, steps);
  }

  #member(base: Name, steps: readonly PathStep[]): void {
    let path = base.text;
    for (const step of steps) {
      const name =
        step.kind === "member"
          ? step.name.text
          : step.index?.kind === "string"
            ? step.index.value
            : undefined;
      if (name === undefined) return;
      path += `\u0000${name}`;
      this.members.add(path);
    }
  }

  #blockReference(base: Name, steps: readonly PathStep[]): boolean {
    const [first] = steps;
    const dotted = first?.kind === "member" ? `${base.text}.${first.name.text}` : "";
    const kind = this.#kinds.has(dotted) ? dotted : base.text;
    if (!this.#kinds.has(kind)) return false;
    const step = steps[kind === dotted ? 1 : 0];
    if (step?.kind === "member") {
      this.#refer("block", `block ${blockKey(kind, [step.name.text])}`, step.name);
    } else if (step?.kind === "index" && step.index?.kind === "string") {
      const { value } = step.index;
      this.uses.push({
        key: `block ${blockKey(kind, [value])}`,
        kind: "block",
        name: value,
        span: step.index,
        isDefinition: false,
      });
    }
    return true;
  }

  #use(target: ExpressionNode, names: VisibleNames): void {
    const callee = target.kind === "call" ? target.callee : target;
    const { base, steps } = accessPath(callee);
    if (target.kind === "call") for (const { value } of target.arguments) this.#visit(value, names);
    if (base.kind !== "name") {
      this.#visit(callee, names);
      return;
    }
    const alias = this.#aliases.get(base.text);
    const [first, second] = steps;
    const name = steps.at(-1);
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
