/** What one expression is evaluated in: its names, and the run of the pipeline it belongs to. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type * as tree from "../../../grammar/tree.js";
import type { FunctionDescriptor, ScopeNameDescriptor } from "../../plugin-api/descriptor.js";
import type { Explanation } from "../../plugin-api/values.js";
import { createDiagnostic, locationIn, type ReportDiagnostic } from "../diagnose.js";
import type { InputRequest, Inputs, InputValue } from "../inputs.js";
import { limits } from "../limits.js";
import type { Type } from "../types/type.js";
import type { Value } from "../values/value.js";
import type { Dependencies } from "./dependencies.js";
import { BROKEN, type Evaluated } from "./outcome.js";
import type { LetBinding, LexicalScope, SourceUnit } from "./scope.js";

export interface EvaluationContext {
  readonly world: EvaluationRun;
  readonly scope: LexicalScope;
  readonly uses: Dependencies;
  readonly report: ReportDiagnostic;
  /** Run-time names in reach; absent where a value is wanted now. */
  readonly later?: LaterNames;
  /** Variables of loops that are carried out per request, by name. */
  readonly locals?: ReadonlyMap<string, Local>;
  /** How many such loops there are around. */
  readonly loops?: number;
}

/** The names of `c.expr({ scope })`. */
export interface LaterNames {
  /** As people call it: "request". */
  readonly title: string;
  readonly names: Readonly<Record<string, ScopeNameDescriptor>>;
}

export interface Local {
  readonly slot: number;
  readonly type: Type;
  readonly later: boolean;
  readonly secret: boolean;
  readonly location: SourceLocation;
}

/** The blocks of the program, as far as expressions can see them. */
export interface BlockDirectory {
  /** How many labels blocks of the kind have at most. */
  labelCount(kind: string): number;
  /** Keys of all blocks of a kind. */
  keysOf(kind: string): readonly string[];
  find(key: string): { readonly location: SourceLocation; readonly label: string } | undefined;
  /** The value of an export, `undefined` where the schema has none of that name. `place` is who asks. */
  exportOf(
    key: string,
    name: string,
    context: EvaluationContext,
    location: SourceLocation,
  ): Evaluated | undefined;
  exportsOf(key: string): readonly string[];
}

/** Functions that a plugin adds. */
export interface PluginFunctions {
  readonly plugin: string;
  readonly functions: Readonly<Record<string, FunctionDescriptor>>;
}

/** `matches(block, request)`, `value(block.attribute)` and the functions that plugins add to tests. */
export interface TestFunctions {
  /** `undefined` where the call is none of these. */
  call(node: tree.CallExpression, name: string, context: EvaluationContext): Evaluated | undefined;
  /** How the result came about, where the function explains it. */
  explain(
    node: tree.CallExpression,
    name: string,
    context: EvaluationContext,
  ): Explanation | undefined;
}

export interface WorkBudget {
  readonly steps: number;
  readonly shared: number;
  readonly blocks: number;
}

/** One run of the pipeline. */
export class EvaluationRun {
  readonly inputs: Inputs;
  readonly report: ReportDiagnostic;
  /** Directories that `file` and imports may reach into. */
  roots: readonly string[];
  /** There from the moment all blocks are known. */
  blocks: BlockDirectory | undefined;
  /** Whether the plugins are known: from then on names that mean nothing are errors. */
  bound = false;
  /** `sandbox`, `acme.chat`: the kinds of top-level blocks. */
  kinds: ReadonlySet<string> = new Set();
  /** Names that some attribute knows at run time, with the attributes that do. */
  runTimeNames: ReadonlyMap<string, readonly string[]> = new Map();
  /** By the namespace they are written under; built-in plugins by their id. */
  functions: ReadonlyMap<string, PluginFunctions> = new Map();
  readonly evaluate: (node: tree.ExpressionNode, context: EvaluationContext) => Evaluated;
  /** Complaints so far. */
  complaints = 0;
  /** Lets that somebody asked for. */
  readonly requested = new Set<tree.Let>();
  /** References of all secrets that were asked for. */
  readonly secrets = new Set<string>();
  /** All files, by the name diagnostics use. */
  readonly units = new Map<string, SourceUnit>();
  /** The functions that exist in the body of a `test` block only. */
  readonly #testFunctions = new Map<LexicalScope, TestFunctions>();
  /** The lets being evaluated, outermost first. */
  readonly path: LetBinding[] = [];
  /** Where the elements of a written list or object stand. */
  readonly #written = new WeakMap<object, SourceElements>();
  #steps = 0;
  #sharedSteps = 0;
  #sharing = false;
  #blocks = 0;
  #depth = 0;

  constructor(parts: {
    readonly inputs: Inputs;
    readonly report: ReportDiagnostic;
    readonly roots: readonly string[];
    readonly evaluate: (node: tree.ExpressionNode, context: EvaluationContext) => Evaluated;
  }) {
    this.inputs = parts.inputs;
    this.report = (diagnostic) => {
      this.complaints += 1;
      parts.report(diagnostic);
    };
    this.roots = parts.roots;
    this.evaluate = parts.evaluate;
  }

  ask(need: InputRequest, context: EvaluationContext): InputValue | undefined {
    context.uses.addInput(need);
    return this.inputs.ask(need);
  }

  /** Work done so far, and how much of it went into lets that stand outside of blocks. */
  get effort(): WorkBudget {
    return { steps: this.#steps, shared: this.#sharedSteps, blocks: this.#blocks };
  }

  /** Whether this much more is still within the limits. */
  canAfford(steps: number, blocks: number): boolean {
    return this.#steps + steps <= limits.steps && this.#blocks + blocks <= limits.blocks;
  }

  /** Runs `compute` with its steps counted as those of a shared let; what it asks for inside is part of it. */
  sharing<Result>(compute: () => Result): Result {
    if (this.#sharing) return compute();
    this.#sharing = true;
    const before = this.#steps;
    try {
      return compute();
    } finally {
      this.#sharing = false;
      this.#sharedSteps += this.#steps - before;
    }
  }

  /** Counts work. @throws LimitReached when there was too much of it. */
  step(count: number, location: () => SourceLocation): void {
    this.#steps += count;
    if (this.#steps <= limits.steps) return;
    throw new LimitReached(
      createDiagnostic(
        "E405",
        location(),
        `evaluating this configuration takes more than ${limits.steps} steps`,
        { help: "look for a `for` inside a `for`, or a list that is built from itself" },
      ),
    );
  }

  /** Counts blocks. @throws LimitReached when there are too many. */
  countBlocks(count: number, location: () => SourceLocation): void {
    this.#blocks += count;
    if (this.#blocks <= limits.blocks) return;
    throw new LimitReached(
      createDiagnostic("E404", location(), `a configuration has at most ${limits.blocks} blocks`),
    );
  }

  /** Carries out `compute` one level deeper; refuses where levels of lets and expressions grow without bounds. */
  deeper(
    node: tree.ExpressionNode,
    context: EvaluationContext,
    compute: () => Evaluated,
  ): Evaluated {
    if (this.#depth >= limits.evaluationDepth) {
      context.report(
        createDiagnostic(
          "E409",
          locationIn(context.scope.unit.name, node),
          "this depends on too long a chain of other values",
        ),
      );
      return BROKEN;
    }
    this.#depth += 1;
    try {
      return compute();
    } finally {
      this.#depth -= 1;
    }
  }

  /** Adds functions to the body of a `test` block. */
  addTestFunctions(scope: LexicalScope, functions: TestFunctions): void {
    this.#testFunctions.set(scope, functions);
  }

  /** The test functions that are visible in a scope. */
  testFunctionsIn(scope: LexicalScope): TestFunctions | undefined {
    if (this.#testFunctions.size === 0) return undefined;
    for (let each: LexicalScope | undefined = scope; each; each = each.parent) {
      const functions = this.#testFunctions.get(each);
      if (functions) return functions;
    }
    return undefined;
  }

  /** Remembers where the elements of a list or object stand. */
  note(container: object, written: SourceElements): void {
    this.#written.set(container, written);
  }

  written(container: Value): SourceElements | undefined {
    return typeof container === "object" && container !== null
      ? this.#written.get(container)
      : undefined;
  }
}

/** A list or object as it stands in a text. */
export interface SourceElements {
  readonly location: SourceLocation;
  /** Where the element at an index or of a name stands. */
  element(key: string | number): SourceLocation | undefined;
  /** Where a name in an object stands. */
  name?(key: string | number): SourceLocation | undefined;
}

/** Ends the run of the pipeline: going on would take too long. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly complaint: ReturnType<typeof createDiagnostic>;

  constructor(reason: ReturnType<typeof createDiagnostic>) {
    super(reason.message);
    this.complaint = reason;
  }
}

/** The place of a node in the file it is evaluated for. */
export const locationOf = (node: tree.Span, context: EvaluationContext): SourceLocation =>
  locationIn(context.scope.unit.name, node);
