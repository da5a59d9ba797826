/** JSON values as expressions. */

import { type StringNode, type ValueNode } from "@humanwhocodes/momoa";
import { type Diagnostic, type Source } from "../../../grammar/diagnostic.js";
import { parseExpression } from "../../../grammar/parse.js";
import type * as tree from "../../../grammar/tree.js";
import { createDiagnostic, locationIn, type ReportDiagnostic } from "../diagnose.js";

export function spanOf(node: { readonly range?: [number, number] }): tree.Span {
  const [start, end] = node.range ?? [0, 0];
  return { start, end };
}

export class JsonExpressions {
  readonly #source: Source;
  readonly #report: ReportDiagnostic;

  constructor(source: Source, report: ReportDiagnostic) {
    this.#source = source;
    this.#report = report;
  }

  of(node: ValueNode): tree.ExpressionNode {
    const span = spanOf(node);
    switch (node.type) {
      case "String":
        return { kind: "string", ...span, value: node.value, form: "quoted" };
      case "Number":
        return { kind: "number", ...span, value: node.value };
      case "Boolean":
        return { kind: "boolean", ...span, value: node.value };
      case "Null":
        return { kind: "null", ...span };
      case "Array":
        return { kind: "list", ...span, items: node.elements.map((each) => this.of(each.value)) };
      case "Object":
        return this.#object(node);
      default:
        return { kind: "bad_expression", ...span };
    }
  }

  #object(node: Extract<ValueNode, { type: "Object" }>): tree.ExpressionNode {
    const entries: tree.ObjectEntry[] = [];
    for (const member of node.members) {
      const name = member.name.type === "String" ? member.name.value : member.name.name;
      if (name === "$expr" && node.members.length === 1 && member.value.type === "String") {
        return this.parsed(member.value);
      }
      if (name.startsWith("$")) {
        const help = name === "$expr" ? '`"$expr"` holds a string and stands alone' : undefined;
        const location = locationIn(this.#source.path, spanOf(member.name));
        this.#report(
          createDiagnostic("E511", location, `\`${name}\` has no meaning in a value`, { help }),
        );
        return { kind: "bad_expression", ...spanOf(node) };
      }
      const key: tree.StringLiteral = {
        kind: "string",
        ...spanOf(member.name),
        value: name,
        form: "quoted",
      };
      entries.push({ kind: "entry", ...spanOf(member), key, value: this.of(member.value) });
    }
    return { kind: "object", ...spanOf(node), entries };
  }

  /** The text of a string as an expression, its places those inside the string. */
  parsed(node: StringNode): tree.ExpressionNode {
    const { start, end } = spanOf(node);
    const { path, text } = this.#source;
    const move = decodedOffsets(text, start, end);
    const { expression, diagnostics } = parseExpression({ path, text: node.value });
    for (const diagnostic of diagnostics) this.#report(movedDiagnostic(diagnostic, move));
    return movedLocation(expression, move);
  }
}

/** Offsets of the decoded characters of a JSON string literal that begins at `start` in `text`; one more for its end. */
function decodedOffsets(text: string, start: number, end: number): (offset: number) => number {
  if (!text.slice(start, end).includes("\\")) return (offset) => start + 1 + offset;
  const offsets: number[] = [];
  let at = start + 1;
  while (at < end - 1) {
    offsets.push(at);
    at += text[at] !== "\\" ? 1 : text[at + 1] === "u" ? 6 : 2;
  }
  offsets.push(end - 1);
  return (offset) => offsets[Math.min(offset, offsets.length - 1)] ?? end - 1;
}

const POSITIONS = new Set(["start", "end", "operatorStart", "sourceStart"]);

/** The same plain tree with every position moved. */
function movedLocation<Tree>(tree: Tree, move: (offset: number) => number): Tree {
  if (Array.isArray(tree)) return tree.map((item) => movedLocation(item, move)) as Tree;
  if (typeof tree !== "object" || tree === null) return tree;
  return Object.fromEntries(
    Object.entries(tree).map(([name, value]) => [
      name,
      POSITIONS.has(name) && typeof value === "number" ? move(value) : movedLocation(value, move),
    ]),
  ) as Tree;
}

/** A diagnostic about the decoded text, on the text as it is written. Its fix would have to be escaped and is left out. */
function movedDiagnostic(diagnostic: Diagnostic, move: (offset: number) => number): Diagnostic {
  const { fix: _fix, ...rest } = diagnostic;
  return movedLocation(rest, move);
}
