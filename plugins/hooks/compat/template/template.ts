/** Expands hooks files as templates, with the basics of Go's `text/template`. */
import type { FilePosition } from "../hook.js";
import {
  type Functions,
  functionsFor,
  type Given,
  isTrue,
  printed,
  type TemplateWorld,
} from "./functions.js";
import { piecesOf, TemplateError } from "./lex.js";
import { type Pipe, parseTemplate, type TemplatePart, type TemplateTerm } from "./parse.js";

export type TemplateExpansion =
  | { readonly ok: true; readonly text: string }
  | { readonly ok: false; readonly position: FilePosition; readonly message: string };

export function expandTemplate(source: string, world: TemplateWorld): TemplateExpansion {
  try {
    const parts = parseTemplate(piecesOf(source));
    return { ok: true, text: new Run(functionsFor(world)).parts(parts, null, new Map()) };
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    const before = source.slice(0, thrown.offset);
    const line = before.split("\n").length;
    const position = { line, column: thrown.offset - before.lastIndexOf("\n") };
    return { ok: false, position, message: thrown.message };
  }
}

type Variables = Map<string, { value: Given }>;

/** More iterations than any list of hooks needs. */
const MAX_TURNS = 100_000;

class Run {
  readonly #functions: Functions;
  #turns = 0;

  constructor(functions: Functions) {
    this.#functions = functions;
  }

  parts(parts: readonly TemplatePart[], dot: Given, variables: Variables): string {
    return parts.map((part) => this.#part(part, dot, variables)).join("");
  }

  #part(part: TemplatePart, dot: Given, variables: Variables): string {
    if (part.kind === "text") return part.text;
    const { kind, pipe, offset } = part;
    if (kind === "print") {
      const value = this.#pipe(pipe, dot, variables, offset);
      return pipe.variables.length > 0 ? "" : printed(value);
    }
    const inner: Variables = new Map(variables);
    if (kind === "range") return this.#range(part, dot, inner);
    const value = this.#pipe(pipe, dot, inner, offset);
    const chosen = isTrue(value) ? part.body : part.otherwise;
    return this.parts(chosen, kind === "with" && isTrue(value) ? value : dot, inner);
  }

  #range(
    part: Exclude<TemplatePart, { kind: "text" | "print" }>,
    dot: Given,
    variables: Variables,
  ): string {
    const { pipe, offset, body, otherwise } = part;
    const value = this.#pipe({ ...pipe, variables: [] }, dot, variables, offset);
    const items =
      typeof value === "number"
        ? Array.from({ length: Math.min(value, MAX_TURNS) }, (_, at) => at)
        : value;
    if (items !== null && !Array.isArray(items)) {
      throw new TemplateError("`range` goes over lists and counts only", offset);
    }
    if (!items || items.length === 0) return this.parts(otherwise, dot, variables);
    const [first, second] = pipe.variables;
    return items
      .map((item: Given, at: number) => {
        this.#turns += 1;
        if (this.#turns > MAX_TURNS) throw new TemplateError("there are too many turns", offset);
        const own: Variables = new Map(variables);
        if (first !== undefined) own.set(first, { value: second === undefined ? item : at });
        if (second !== undefined) own.set(second, { value: item });
        return this.parts(body, item, own);
      })
      .join("");
  }

  #pipe(pipe: Pipe, dot: Given, variables: Variables, offset: number): Given {
    let value: Given | undefined;
    for (const command of pipe.commands)
      value = this.#command(command, value, dot, variables, offset);
    const [name] = pipe.variables;
    if (name !== undefined) {
      const present = variables.get(name);
      if (pipe.assigns && !present)
        throw new TemplateError(`there is no variable \`${name}\``, offset);
      if (pipe.assigns && present) present.value = value ?? null;
      else variables.set(name, { value: value ?? null });
    }
    return value ?? null;
  }

  #command(
    [head, ...rest]: readonly TemplateTerm[],
    piped: Given | undefined,
    dot: Given,
    variables: Variables,
    offset: number,
  ): Given {
    const last = piped === undefined ? [] : [piped];
    const args = [...rest.map((term) => this.#term(term, dot, variables, offset)), ...last];
    if (head?.kind === "call") return this.#call(head.name, args, offset);
    if (args.length > 0)
      throw new TemplateError("what is given values here is no function", offset);
    return head ? this.#term(head, dot, variables, offset) : null;
  }

  #call(name: string, args: readonly Given[], offset: number): Given {
    const called = this.#functions[name];
    if (!called) throw new TemplateError(`there is no function \`${name}\``, offset);
    return called(...args);
  }

  #term(term: TemplateTerm, dot: Given, variables: Variables, offset: number): Given {
    switch (term.kind) {
      case "value":
        return term.value;
      case "call":
        return this.#call(term.name, [], offset);
      case "pipe":
        return this.#pipe(term.pipe, dot, new Map(variables), offset);
      case "variable": {
        if (term.name === "$") return null;
        const found = variables.get(term.name);
        if (!found) throw new TemplateError(`there is no variable \`${term.name}\``, offset);
        return found.value;
      }
      default:
        return term.field === "" ? dot : null;
    }
  }
}
