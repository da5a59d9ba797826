/** What a name means where: lets and loop variables by the body they stand in, aliases by file. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import type { Dependencies } from "./dependencies.js";
import type { Evaluated } from "./outcome.js";

export interface LetBinding {
  readonly name: string;
  readonly node: tree.Let;
  readonly scope: LexicalScope;
  state: LetState;
  /** It stands outside of all blocks, so that several may ask for it. */
  shared: boolean;
}

/** A `mixin` of a file. */
export interface MixinDefinition {
  readonly name: string;
  readonly node: tree.Mixin;
  readonly scope: LexicalScope;
}

type LetState =
  | { readonly kind: "untouched" }
  | { readonly kind: "evaluating" }
  | {
      readonly kind: "done";
      readonly outcome: Evaluated;
      readonly uses: Dependencies;
    };

export interface Variable {
  readonly name: string;
  readonly value: Evaluated;
  readonly location: SourceLocation;
  /** Where its value is written, where that is known. */
  readonly origin: SourceLocation | undefined;
}

/** A source file with what can be seen from the outside of it. */
export class SourceUnit {
  /** Absolute. */
  readonly path: string;
  /** As diagnostics name it. */
  readonly name: string;
  readonly text: string;
  readonly tree: tree.File;
  readonly scope: LexicalScope;
  /** What `import "…" as name` made available. */
  readonly aliases = new Map<
    string,
    { readonly unit: SourceUnit; readonly location: SourceLocation }
  >();
  readonly mixins = new Map<string, MixinDefinition>();
  /** Every let of the file as often as its body was expanded. */
  readonly lets: LetBinding[] = [];

  constructor(path: string, name: string, text: string, file: tree.File) {
    this.path = path;
    this.name = name;
    this.text = text;
    this.tree = file;
    this.scope = new LexicalScope(this);
  }
}

/** The names of one body; those around it are seen through it. */
export class LexicalScope {
  readonly unit: SourceUnit;
  readonly parent: LexicalScope | undefined;
  readonly #lets = new Map<string, LetBinding>();
  readonly #variables = new Map<string, Variable>();

  constructor(unit: SourceUnit, parent?: LexicalScope) {
    this.unit = unit;
    this.parent = parent;
  }

  let(name: string): LetBinding | undefined {
    return this.#lets.get(name) ?? this.parent?.let(name);
  }

  variable(name: string): Variable | undefined {
    return this.#variables.get(name) ?? this.parent?.variable(name);
  }

  addLet(node: tree.Let): void {
    const name = node.name.text;
    const binding: LetBinding = {
      name,
      node,
      scope: this,
      state: { kind: "untouched" },
      shared: false,
    };
    this.#lets.set(name, binding);
    this.unit.lets.push(binding);
  }

  addVariable(variable: Variable): void {
    this.#variables.set(variable.name, variable);
  }

  /** The variables of this body alone. */
  get variables(): Iterable<Variable> {
    return this.#variables.values();
  }

  /** Everything in sight, for suggestions: `let.` names and bare ones. */
  letNames(): string[] {
    return [...this.#lets.keys(), ...(this.parent?.letNames() ?? [])];
  }

  variableNames(): string[] {
    return [...this.#variables.keys(), ...(this.parent?.variableNames() ?? [])];
  }
}
