/** Converts the language to its JSON equivalent. Drops comments other than `##`, and disabled items. */
import type { Diagnostic, Source } from "../../../grammar/diagnostic.js";
import { parse } from "../../../grammar/parse.js";
import type * as tree from "../../../grammar/tree.js";

/** Repeated expectations of a `test` become a list: JSON keys are unique. */
function addAttribute(body: Record<string, Json>, name: string, value: Json): void {
  const earlier = body[name];
  body[name] = earlier === undefined ? value : [earlier, value];
}

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json };

/** The equivalent `*.reeve.json` text; or the errors. */
export function toJsonText(
  source: Source,
): { readonly text: string } | { readonly diagnostics: readonly Diagnostic[] } {
  const { tree: file, diagnostics } = parse(source);
  if (diagnostics.some(({ severity }) => severity === "error")) return { diagnostics };
  const writer = new JsonWriter(source.text);
  return { text: `${JSON.stringify(writer.body(file.items), undefined, 2)}\n` };
}

class JsonWriter {
  readonly #text: string;

  constructor(text: string) {
    this.#text = text;
  }

  body(items: readonly tree.Item[]): Record<string, Json> {
    const body = Object.create(null) as Record<string, Json>;
    const lists = new Map<string, Json[]>();
    const add = (name: string, value: Json) => lists.set(name, [...(lists.get(name) ?? []), value]);
    for (const item of items) if (!item.disabled) this.#item(item, body, add);
    for (const [name, values] of lists) {
      const [only] = values;
      body[name] = values.length === 1 && only !== undefined ? only : values;
    }
    return body;
  }

  #item(
    item: tree.Item,
    body: Record<string, Json>,
    add: (name: string, value: Json) => void,
  ): void {
    switch (item.kind) {
      case "attribute":
        addAttribute(body, item.name.text, this.#value(item.value));
        break;
      case "let":
        body.$let = { ...(body.$let as object), [item.name.text]: this.#value(item.value) };
        break;
      case "param":
        body.$param = {
          ...(body.$param as object),
          [item.name.text]: {
            ...(item.type ? { type: item.type.text } : {}),
            ...(item.value ? { default: this.#value(item.value) } : {}),
          },
        };
        break;
      case "mixin":
        body.$mixin = {
          ...(body.$mixin as object),
          [this.#plain(item.label)]: this.body(item.body.items),
        };
        break;
      case "block":
        add(item.type.map((name) => name.text).join("."), this.#block(item));
        break;
      case "use":
        add("$use", this.#source(item.target));
        break;
      case "import":
        add("$import", this.#import(item));
        break;
      case "for":
        add("$for", {
          ...(item.key ? { key: item.key.text } : {}),
          each: item.variable.text,
          in: this.#value(item.iterable),
          do: this.body(item.body.items),
        });
        break;
      case "if":
        add("$if", {
          test: this.#value(item.test),
          do: this.body(item.consequent.items),
          ...(item.alternate ? { else: this.body(item.alternate.items) } : {}),
        });
        break;
      default:
        break;
    }
  }

  #block(block: tree.BlockNode): Json {
    const labels = block.labels.map((label) => this.#value(label));
    const doc = block.doc === undefined ? {} : { $doc: block.doc };
    return { $block: labels, ...doc, ...this.body(block.body.items) };
  }

  #import(item: tree.Import): Json {
    const path = this.#value(item.path);
    if (!item.alias && !item.arguments) return path;
    const given = item.arguments?.map(({ name, value }) => [name?.text ?? "", this.#value(value)]);
    return {
      path,
      ...(given ? { with: Object.fromEntries(given) as Json } : {}),
      ...(item.alias ? { as: item.alias.text } : {}),
    };
  }

  /** A name that has to be written out; templates are shown as they stand. */
  #plain(label: tree.Mixin["label"]): string {
    return label.kind === "string" ? label.value : this.#source(label);
  }

  #source(node: tree.Span): string {
    return this.#text.slice(node.start, node.end);
  }

  #value(node: tree.ExpressionNode): Json {
    switch (node.kind) {
      case "null":
        return null;
      case "boolean":
      case "number":
      case "string":
        return node.value;
      case "list":
        return node.items.map((item) => this.#value(item));
      case "object":
        return this.#object(node) ?? { $expr: this.#source(node) };
      default:
        return { $expr: this.#source(node) };
    }
  }

  /** `undefined` where JSON would take a name for something else. */
  #object(node: tree.ObjectLiteral): Json | undefined {
    const entries: Array<readonly [string, Json]> = [];
    for (const { key, value } of node.entries) {
      if (key.kind === "template") return undefined;
      const name = key.kind === "name" ? key.text : key.value;
      if (name.startsWith("$") || name === "__proto__") return undefined;
      entries.push([name, this.#value(value)]);
    }
    return Object.fromEntries(entries);
  }
}
