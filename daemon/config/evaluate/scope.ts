/** Name resolution: lets and loop variables by body, aliases by file. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import type { Dependencies } from "./dependencies.js";
import type { Evaluated } from "./outcome.js";

/** A `let`, or a parameter with its argument or default. */
export interface LetBinding {
  readonly name: string;
  readonly node: tree.Let | tree.ParameterNode;
  readonly scope: LexicalScope;
  /** The expression and the scope of its names; `undefined` for a parameter without a value. */
  value: { readonly node: tree.ExpressionNode; readonly scope: LexicalScope } | undefined;
  state: LetState;
  /** Whether it is outside all blocks and so shared by several. */
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
  /** The location of its value, if known. */
  readonly origin: SourceLocation | undefined;
}

/** A source file and the names visible in it. */
export class SourceUnit {
  /** Absolute. */
  readonly path: string;
  /** As diagnostics name it. */
  readonly name: string;
  readonly text: string;
  readonly tree: tree.File;
  readonly scope: LexicalScope;
  /** The aliases of `import "…" as name`. */
  readonly aliases = new Map<
    string,
    { readonly unit: SourceUnit; readonly location: SourceLocation }
  >();
  readonly mixins = new Map<string, MixinDefinition>();
  /** Every let of the file, once per expansion of its body. */
  readonly lets: LetBinding[] = [];

  constructor(path: string, name: string, text: string, file: tree.File) {
    this.path = path;
    this.name = name;
    this.text = text;
    this.tree = file;
    this.scope = new LexicalScope(this);
  }
}

/** The arguments of a mixin or file. */
export interface GivenArguments {
  readonly nodes: readonly tree.CallArgument[];
  /** Of the names in the arguments. */
  readonly scope: LexicalScope;
}

/** The names of one body; outer names are visible through it. */
export class LexicalScope {
  readonly unit: SourceUnit;
  readonly parent: LexicalScope | undefined;
  /** Whether it is the body of a mixin or a file, which may declare parameters. */
  readonly takesArguments: boolean;
  given: GivenArguments | undefined;
  readonly #lets = new Map<string, LetBinding>();
  readonly #variables = new Map<string, Variable>();

  constructor(unit: SourceUnit, parent?: LexicalScope, takesArguments = parent === undefined) {
    this.unit = unit;
    this.parent = parent;
    this.takesArguments = takesArguments;
  }

  let(name: string): LetBinding | undefined {
    return this.#lets.get(name) ?? this.parent?.let(name);
  }

  variable(name: string): Variable | undefined {
    return this.#variables.get(name) ?? this.parent?.variable(name);
  }

  addLet(node: tree.Let | tree.ParameterNode): void {
    const name = node.name.text;
    const binding: LetBinding = {
      name,
      node,
      scope: this,
      value: node.value && { node: node.value, scope: this },
      state: { kind: "untouched" },
      shared: false,
    };
    this.#lets.set(name, binding);
    this.unit.lets.push(binding);
  }

  addVariable(variable: Variable): void {
    this.#variables.set(variable.name, variable);
  }

  /** The parameters of this body alone. */
  get parameters(): readonly LetBinding[] {
    return [...this.#lets.values()].filter(({ node }) => node.kind === "param");
  }

  /** The variables of this body alone. */
  get variables(): Iterable<Variable> {
    return this.#variables.values();
  }

  /** All visible names, for suggestions: `let.` names and bare ones. */
  letNames(): string[] {
    return [...this.#lets.keys(), ...(this.parent?.letNames() ?? [])];
  }

  variableNames(): string[] {
    return [...this.#variables.keys(), ...(this.parent?.variableNames() ?? [])];
  }
}
