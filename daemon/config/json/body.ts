/** Members of JSON objects as items of the language. */
import type { MemberNode, ObjectNode, StringNode, ValueNode } from "@humanwhocodes/momoa";
import type { Source } from "../../../grammar/diagnostic.js";
import type { InParts } from "../../../grammar/reading/read-file.js";
import { suggest } from "../../../grammar/suggest.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn, type ReportDiagnostic, suggestFix } from "../diagnose.js";
import { JsonExpressions, spanOf } from "./expressions.js";

/** The reserved names and their types. */
const STRUCTURE: Readonly<Record<string, string>> = {
  $block: "the names in a block's header: []",
  $doc: "what the block is about",
  $let: "values by name",
  $param: 'parameters by name: { "type": …, "default": … }',
  $import: 'paths, or { "path": …, "with": { … }, "as": … }',
  $mixin: "bodies by name",
  $use: 'references to mixins: ["mixin.signed"]',
  $for: '{ "each": …, "in": …, "do": { … } }, "key" besides',
  $if: '{ "test": …, "do": { … }, "else": { … } }',
};

const IDENTIFIER = /^[A-Za-z_][A-Za-z0-9_]*$/;

export class JsonBody {
  readonly #source: Source;
  readonly #report: ReportDiagnostic;
  readonly #expressions: JsonExpressions;

  constructor(source: Source, report: ReportDiagnostic) {
    this.#source = source;
    this.#report = report;
    this.#expressions = new JsonExpressions(source, report);
  }

  /** The items of a file, a part for each block. */
  *fileInParts(object: ObjectNode): InParts<readonly tree.Item[]> {
    const items: tree.Item[] = [];
    for (const member of object.members) {
      const name = nameOf(member);
      const blocks = name.startsWith("$") ? undefined : blocksIn(member.value);
      for (const each of blocks ?? []) {
        items.push(...this.#block(name, member, each));
        yield;
      }
      if (!blocks) items.push(...this.#item(member, "file"));
      yield;
    }
    return items;
  }

  #items(object: ObjectNode): tree.Item[] {
    return object.members.flatMap((member) => this.#item(member, "body"));
  }

  #item(member: MemberNode, where: "file" | "body"): readonly tree.Item[] {
    const name = nameOf(member);
    if (name.startsWith("$")) return this.#structure(name, member);
    const blocks = blocksIn(member.value);
    if (blocks) return blocks.flatMap((each) => this.#block(name, member, each));
    if (where === "file") {
      this.#wrong(member.name, `\`${name}\` is no block`, {
        help: `a block says so: "${name}": { "$block": ["NAME"], … }`,
      });
      return [];
    }
    if (!IDENTIFIER.test(name)) {
      this.#wrong(member.name, `\`${name}\` is no name of an attribute`);
      return [];
    }
    const value = this.#expressions.of(member.value);
    return [{ kind: "attribute", ...spanOf(member), name: nameNode(member.name), value }];
  }

  #wrong(node: { readonly range?: [number, number] }, message: string, details = {}): void {
    this.#report(
      createDiagnostic("E511", locationIn(this.#source.path, spanOf(node)), message, details),
    );
  }

  #block(kind: string, member: MemberNode, node: ObjectNode): readonly tree.Item[] {
    const names = kind.split(".");
    if (names.length > 2 || !names.every((name) => IDENTIFIER.test(name))) {
      this.#wrong(member.name, `\`${kind}\` is no kind of block`);
      return [];
    }
    const { start } = spanOf(member.name);
    const type = names.map((text, index): tree.Name => {
      const before = names.slice(0, index).join(".").length + index;
      return {
        kind: "name",
        text,
        start: start + 1 + before,
        end: start + 1 + before + text.length,
      };
    });
    const labels = this.#labels(memberOf(node, "$block"));
    const doc = memberOf(node, "$doc")?.value;
    const block: tree.BlockNode = {
      kind: "block",
      ...spanOf(node),
      type: type as unknown as tree.BlockNode["type"],
      labels,
      body: { ...spanOf(node), items: this.#items(node) },
      ...(doc?.type === "String" ? { doc: doc.value } : {}),
    };
    return [block];
  }

  #labels(member: MemberNode | undefined): tree.BlockNode["labels"] {
    if (!member) return [];
    const nodes =
      member.value.type === "Array" ? member.value.elements.map((each) => each.value) : [];
    const labels = nodes.map((node) => this.#expressions.of(node));
    const right = labels.every((label) => label.kind === "string" || label.kind === "template");
    if (member.value.type !== "Array" || !right) {
      this.#wrong(member.value, '`"$block"` is a list of names: `["deploy"]`, or `[]`');
      return [];
    }
    return labels as ReadonlyArray<tree.StringLiteral | tree.TemplateLiteral>;
  }

  #structure(name: string, member: MemberNode): readonly tree.Item[] {
    switch (name) {
      case "$block":
      case "$doc":
        return [];
      case "$let":
        return this.#entries(member).map((each) => ({
          kind: "let",
          ...spanOf(each),
          name: nameNode(each.name),
          value: this.#expressions.of(each.value),
        }));
      case "$param":
        return this.#entries(member).flatMap((each) => this.#param(each));
      case "$mixin":
        return this.#entries(member).flatMap((each) => this.#mixin(each));
      case "$import":
        return listOf(member.value).flatMap((each) => this.#import(each));
      case "$use":
        return listOf(member.value).flatMap((each) => this.#use(each));
      case "$for":
        return listOf(member.value).flatMap((each) => this.#for(each));
      case "$if":
        return listOf(member.value).flatMap((each) => this.#if(each));
      default:
        this.#wrong(member.name, `\`${name}\` has no meaning here`, {
          label: suggestFix(suggest(name, Object.keys(STRUCTURE))),
        });
        return [];
    }
  }

  #malformed(node: ValueNode, name: string): readonly [] {
    this.#wrong(node, `\`"${name}"\` holds ${STRUCTURE[name]}`);
    return [];
  }

  #entries(member: MemberNode): readonly MemberNode[] {
    const { value } = member;
    if (value.type === "Object" && value.members.every((each) => nameOf(each) !== "")) {
      return value.members;
    }
    return this.#malformed(value, nameOf(member));
  }

  #body(node: ValueNode | undefined): tree.Body | undefined {
    if (node?.type !== "Object") return undefined;
    return { ...spanOf(node), items: this.#items(node) };
  }

  #mixin(member: MemberNode): readonly tree.Item[] {
    const body = this.#body(member.value);
    if (!body) return this.#malformed(member.value, "$mixin");
    const label: tree.StringLiteral = {
      kind: "string",
      ...spanOf(member.name),
      value: nameOf(member),
      form: "quoted",
    };
    return [{ kind: "mixin", ...spanOf(member), label, body }];
  }

  #param(member: MemberNode): readonly tree.Item[] {
    const { value: node } = member;
    if (node.type !== "Object") return this.#malformed(node, "$param");
    const type = memberOf(node, "type")?.value;
    const fallback = memberOf(node, "default")?.value;
    if (type && type.type !== "String") return this.#malformed(node, "$param");
    const item: tree.ParameterNode = {
      kind: "param",
      ...spanOf(member),
      name: nameNode(member.name),
      ...(type && { type: nameNode(type) }),
      ...(fallback && { value: this.#expressions.of(fallback) }),
    };
    return [item];
  }

  #import(node: ValueNode): readonly tree.Item[] {
    const [path, alias, given] =
      node.type === "Object"
        ? ["path", "as", "with"].map((name) => memberOf(node, name)?.value)
        : [node];
    if (given && given.type !== "Object") return this.#malformed(node, "$import");
    const list = given?.members.map(
      (each): tree.CallArgument => ({
        kind: "argument",
        ...spanOf(each),
        name: nameNode(each.name),
        value: this.#expressions.of(each.value),
      }),
    );
    const written = path && this.#expressions.of(path);
    if (
      (alias && alias.type !== "String") ||
      (written?.kind !== "string" && written?.kind !== "template")
    ) {
      return this.#malformed(node, "$import");
    }
    const as = alias === undefined ? {} : { alias: nameNode(alias) };
    const values = list && { arguments: list };
    return [{ kind: "import", ...spanOf(node), path: written, ...values, ...as }];
  }

  #use(node: ValueNode): readonly tree.Item[] {
    if (node.type !== "String") return this.#malformed(node, "$use");
    return [{ kind: "use", ...spanOf(node), target: this.#expressions.parsed(node) }];
  }

  #for(node: ValueNode): readonly tree.Item[] {
    if (node.type !== "Object") return this.#malformed(node, "$for");
    const [each, key, list, body] = ["each", "key", "in", "do"].map(
      (name) => memberOf(node, name)?.value,
    );
    const inner = this.#body(body);
    if (each?.type !== "String" || (key && key.type !== "String") || !list || !inner) {
      return this.#malformed(node, "$for");
    }
    const item: tree.For = {
      kind: "for",
      ...spanOf(node),
      variable: nameNode(each),
      iterable: this.#expressions.of(list),
      body: inner,
      ...(key === undefined ? {} : { key: nameNode(key) }),
    };
    return [item];
  }

  #if(node: ValueNode): readonly tree.Item[] {
    if (node.type !== "Object") return this.#malformed(node, "$if");
    const [test, body, otherwise] = ["test", "do", "else"].map(
      (name) => memberOf(node, name)?.value,
    );
    const consequent = this.#body(body);
    const alternate = this.#body(otherwise);
    if (!test || !consequent || (otherwise && !alternate)) return this.#malformed(node, "$if");
    const item: tree.If = {
      kind: "if",
      ...spanOf(node),
      test: this.#expressions.of(test),
      consequent,
      ...(alternate ? { alternate } : {}),
    };
    return [item];
  }
}

const nameOf = (member: MemberNode): string =>
  member.name.type === "String" ? member.name.value : "";

const memberOf = (object: ObjectNode, name: string): MemberNode | undefined =>
  object.members.find((member) => nameOf(member) === name);

const listOf = (node: ValueNode): readonly ValueNode[] =>
  node.type === "Array" ? node.elements.map((element) => element.value) : [node];

/** The name inside the quotes. */
function nameNode(node: MemberNode["name"] | StringNode): tree.Name {
  const { start, end } = spanOf(node);
  const text = node.type === "String" ? node.value : node.name;
  return { kind: "name", text, start: start + 1, end: end - 1 };
}

/** The objects of a value that is one block or a list of blocks. */
function blocksIn(value: ValueNode): readonly ObjectNode[] | undefined {
  const nodes = listOf(value);
  const blocks = nodes.filter(
    (node): node is ObjectNode => node.type === "Object" && memberOf(node, "$block") !== undefined,
  );
  return blocks.length > 0 && blocks.length === nodes.length ? blocks : undefined;
}
