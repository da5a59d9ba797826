import { type ExpressionNode } from "../tree.js";
import { indentation } from "./lexemes.js";
import { LIMITS } from "./limits.js";

/** The meaning of a line end. */
export type LineEndRule =
  /** Ends a statement or an entry, unless the next line begins with an operator. */
  | "separate"
  /** No meaning, inside brackets. */
  | "ignored"
  /** Ends the expression, inside a `${…}`. */
  | "final";

interface Opening {
  readonly at: number;
  /** What a line's end meant outside. */
  readonly outside: LineEndRule;
  /** The indentation of its line, computed on demand. */
  indent?: number;
}

/** The brackets, bodies, holes and conditionals that are open at the moment. */
export class Nesting {
  lines: LineEndRule;
  /** The greatest depth since `deepest` was set last. */
  deepest = 0;
  readonly #openings: Opening[] = [];

  constructor(lines: LineEndRule) {
    this.lines = lines;
  }

  get depth(): number {
    return this.#openings.length;
  }

  get isFull(): boolean {
    return this.#openings.length >= LIMITS.nesting;
  }

  /** Where the innermost of them was opened; -1 outside of all. */
  get innermost(): number {
    return this.#openings.at(-1)?.at ?? -1;
  }

  /** How far the line is indented that the innermost of them was opened on; -1 outside of all. */
  indent(text: string): number {
    const opening = this.#openings.at(-1);
    if (opening === undefined) return -1;
    opening.indent ??= indentation(text, opening.at);
    return opening.indent;
  }

  /** Whether one of them was opened by this bracket. */
  includes(text: string, bracket: string): boolean {
    return this.#openings.some(({ at }) => text.charAt(at) === bracket);
  }

  /** Goes one deeper; false when that would be too deep. Nothing inside a `${…}` gives a line's end another meaning. */
  open(at: number, lines: LineEndRule): boolean {
    if (this.isFull) return false;
    this.#openings.push({ at, outside: this.lines });
    if (this.#openings.length > this.deepest) this.deepest = this.#openings.length;
    if (this.lines !== "final") this.lines = lines;
    return true;
  }

  close(): void {
    const opening = this.#openings.pop();
    if (opening) this.lines = opening.outside;
  }
}

/** Whether an expression's tree has more levels than `limit`. Walks level by level: no recursion, whatever the height. */
export function exceedsHeight(expression: ExpressionNode, limit: number): boolean {
  let level: ExpressionNode[] = [expression];
  for (let height = 1; level.length > 0; height++) {
    if (height > limit) return true;
    level = level.flatMap(children);
  }
  return false;
}

/** The expressions directly inside an expression, in the order of the text. */
function children(expression: ExpressionNode): readonly ExpressionNode[] {
  switch (expression.kind) {
    case "template":
      return expression.parts.flatMap((part) => (part.kind === "hole" ? [part.expression] : []));
    case "member":
      return [expression.object];
    case "index":
      return expression.index ? [expression.object, expression.index] : [expression.object];
    case "call":
      return [expression.callee, ...expression.arguments.map(({ value }) => value)];
    case "unary":
      return [expression.operand];
    case "binary":
      return [expression.left, expression.right];
    case "conditional":
      return [expression.test, expression.consequent, expression.alternate];
    case "list":
      return expression.items;
    case "comprehension": {
      const { iterable, test, name, body } = expression;
      return [iterable, test, name, body].filter((each) => each !== undefined);
    }
    case "object":
      return expression.entries.flatMap(({ key, value }) =>
        key.kind === "template" ? [key, value] : [value],
      );
    default:
      return [];
  }
}
