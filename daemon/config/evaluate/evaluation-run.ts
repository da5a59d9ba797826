/** The context of an evaluation: its names, and the run of the pipeline. */
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

export interface AcceptedWords {
  readonly choices: readonly string[];
  /** Whether any text is accepted. */
  readonly text: boolean;
}

export interface EvaluationContext {
  readonly world: EvaluationRun;
  readonly scope: LexicalScope;
  readonly uses: Dependencies;
  readonly report: ReportDiagnostic;
  /** Visible run-time names; absent where a load-time value is required. */
  readonly later?: LaterNames;
  /** The texts that the attribute accepts, for advice about words without quotes. */
  readonly words?: AcceptedWords;
  /** Variables of run-time loops, by name. */
  readonly locals?: ReadonlyMap<string, Local>;
  /** The number of enclosing run-time loops. */
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

/** The blocks of the program as expressions see them. */
export interface BlockDirectory {
  /** The maximum number of labels of a kind. */
  labelCount(kind: string): number;
  /** Keys of all blocks of a kind. */
  keysOf(kind: string): readonly string[];
  find(key: string): { readonly location: SourceLocation; readonly label: string } | undefined;
  /**
   * The value of an export; `undefined` if the schema does not declare it. `location` is the location of the
   * reference.
   */
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
  /** Directories that `file` and imports may read. */
  roots: readonly string[];
  /** Set once all blocks are known. */
  blocks: BlockDirectory | undefined;
  /** Whether the plugins are known; from then on unknown names are errors. */
  bound = false;
  /** `sandbox`, `acme.chat`: the kinds of top-level blocks. */
  kinds: ReadonlySet<string> = new Set();
  /** Run-time names, with the attributes that provide them. */
  runTimeNames: ReadonlyMap<string, readonly string[]> = new Map();
  /** By the namespace they are written under; built-in plugins by their id. */
  functions: ReadonlyMap<string, PluginFunctions> = new Map();
  readonly evaluate: (node: tree.ExpressionNode, context: EvaluationContext) => Evaluated;
  /** The number of diagnostics so far. */
  complaints = 0;
  /** Lets that have been read. */
  readonly requested = new Set<tree.Let | tree.ParameterNode>();
  /** References of all secrets that have been read. */
  readonly secrets = new Set<string>();
  /** All files, by the name diagnostics use. */
  readonly units = new Map<string, SourceUnit>();
  /** The functions that exist in the body of a `test` block only. */
  readonly #testFunctions = new Map<LexicalScope, TestFunctions>();
  /** The lets being evaluated, outermost first. */
  readonly path: LetBinding[] = [];
  /** The locations of the elements of a list or object literal. */
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

  /** Steps so far, and the part spent in lets outside blocks. */
  get effort(): WorkBudget {
    return { steps: this.#steps, shared: this.#sharedSteps, blocks: this.#blocks };
  }

  /** Whether this much more work is within the limits. */
  canAfford(steps: number, blocks: number): boolean {
    return this.#steps + steps <= limits.steps && this.#blocks + blocks <= limits.blocks;
  }

  /** Counts the steps of `compute`, nested evaluations included, as those of a shared let. */
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

  /** Counts steps. @throws LimitReached above the limit. */
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

  /** Counts blocks. @throws LimitReached above the limit. */
  countBlocks(count: number, location: () => SourceLocation): void {
    this.#blocks += count;
    if (this.#blocks <= limits.blocks) return;
    throw new LimitReached(
      createDiagnostic("E404", location(), `a configuration has at most ${limits.blocks} blocks`),
    );
  }

  /** Runs `compute` one level deeper; refuses evaluation beyond the depth limit. */
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

  /** Records the locations of the elements of a list or object. */
  note(container: object, written: SourceElements): void {
    this.#written.set(container, written);
  }

  written(container: Value): SourceElements | undefined {
    return typeof container === "object" && container !== null
      ? this.#written.get(container)
      : undefined;
  }
}

/** The source locations of a list or object literal. */
export interface SourceElements {
  readonly location: SourceLocation;
  /** The location of the element at an index or key. */
  element(key: string | number): SourceLocation | undefined;
  /** The location of a key of an object. */
  name?(key: string | number): SourceLocation | undefined;
}

/** Aborts the run of the pipeline at a limit. */
export class LimitReached extends Error {
  override readonly name = "LimitReached";
  readonly complaint: ReturnType<typeof createDiagnostic>;

  constructor(reason: ReturnType<typeof createDiagnostic>) {
    super(reason.message);
    this.complaint = reason;
  }
}

/** The location of a node in its source file. */
export const locationOf = (node: tree.Span, context: EvaluationContext): SourceLocation =>
  locationIn(context.scope.unit.name, node);
