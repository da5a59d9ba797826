/** The blocks of a program as seen by expressions: whether they exist, and what they export. */
import type { SourceLocation } from "../../../grammar/diagnostic.js";
import type { ExportDescriptor } from "../../plugin-api/descriptor.js";
import type { BlockBody } from "../check/block-body.js";
import { defaultValue } from "../check/defaults.js";
import { createDiagnostic } from "../diagnose.js";
import { expressionOf, unitFor } from "../evaluate/constant.js";
import type { BlockDirectory, EvaluationContext } from "../evaluate/evaluation-run.js";
import { BROKEN, type Evaluated } from "../evaluate/outcome.js";
import { LexicalScope, type SourceUnit, type Variable } from "../evaluate/scope.js";
import { strict } from "../evaluate/strict.js";
import type { BlockInstance } from "./instances.js";
import type { Kinds } from "./kinds.js";

export class Directory implements BlockDirectory {
  readonly #instances: ReadonlyMap<string, BlockInstance>;
  readonly #kinds: Kinds;
  readonly #keysByKind = new Map<string, string[]>();

  constructor(instances: ReadonlyMap<string, BlockInstance>, kinds: Kinds) {
    this.#instances = instances;
    this.#kinds = kinds;
    for (const { key, kind } of instances.values()) {
      const keys = this.#keysByKind.get(kind.name) ?? [];
      keys.push(key);
      this.#keysByKind.set(kind.name, keys);
    }
  }

  labelCount(kind: string): number {
    return this.#kinds.find(kind)?.descriptor.labels.length ?? 0;
  }

  keysOf(kind: string): readonly string[] {
    return this.#keysByKind.get(kind) ?? [];
  }

  instance(key: string): BlockInstance | undefined {
    return this.#instances.get(key);
  }

  find(key: string): { readonly location: SourceLocation; readonly label: string } | undefined {
    const instance = this.#instances.get(key);
    return instance && { location: instance.body.header, label: instance.labels[0] ?? "" };
  }

  exportsOf(key: string): readonly string[] {
    return Object.keys(this.#instances.get(key)?.kind.descriptor.exports ?? {});
  }

  exportOf(
    key: string,
    name: string,
    context: EvaluationContext,
    location: SourceLocation,
  ): Evaluated | undefined {
    const instance = this.#instances.get(key);
    const exports = instance?.kind.descriptor.exports;
    const descriptor = exports && Object.hasOwn(exports, name) ? exports[name] : undefined;
    if (!instance || !descriptor) return undefined;
    return evaluateExport(instance, descriptor, context, location);
  }
}

/** An export is an expression over the block's own attributes, each evaluated only when needed. */
function evaluateExport(
  instance: BlockInstance,
  descriptor: ExportDescriptor,
  context: EvaluationContext,
  location: SourceLocation,
): Evaluated {
  const { expression, diagnostics } = expressionOf(descriptor.value);
  if (diagnostics.length > 0) return BROKEN;
  const unit = unitFor(descriptor.value);
  const scope = new AttributeScope(unit, instance, context, location);
  let failed = false;
  const inside: EvaluationContext = {
    world: context.world,
    scope,
    uses: context.uses,
    report: (diagnostic) => {
      if (/^E4/.test(diagnostic.code)) {
        scope.troubled = true;
        context.report({ ...diagnostic, location });
      }
      failed = true;
    },
  };
  const outcome = strict(context.world.evaluate(expression, inside), inside);
  if (failed && !scope.troubled) {
    context.report(
      createDiagnostic(
        "E213",
        location,
        `what \`${instance.key}\` lets others read cannot be worked out`,
      ),
    );
  }
  return outcome;
}

/** The attributes of a block as bare names, and `label`. */
class AttributeScope extends LexicalScope {
  readonly #body: BlockBody;
  readonly #instance: BlockInstance;
  readonly #context: EvaluationContext;
  readonly #location: SourceLocation;
  /** An error in an attribute has already been reported. */
  troubled = false;

  constructor(
    unit: SourceUnit,
    instance: BlockInstance,
    context: EvaluationContext,
    location: SourceLocation,
  ) {
    super(unit);
    this.#instance = instance;
    this.#body = instance.body;
    this.#context = context;
    this.#location = location;
  }

  override variable(name: string): Variable | undefined {
    const value = this.#valueOf(name);
    return value === undefined
      ? undefined
      : { name, value, location: this.#body.header, origin: undefined };
  }

  #valueOf(name: string): Evaluated | undefined {
    const { attributes } = this.#body.descriptor;
    const descriptor = Object.hasOwn(attributes, name) ? attributes[name] : undefined;
    if (!descriptor) return name === "label" ? (this.#instance.labels[0] ?? null) : undefined;
    const evaluated = this.#body.attribute(name);
    if (evaluated === "circle") {
      this.troubled = true;
      return this.#body.circle(name, this.#context, this.#location);
    }
    if (!evaluated) return defaultValue(descriptor) ?? null;
    this.#context.uses.add(evaluated.context.uses);
    if (evaluated.outcome === BROKEN) this.troubled = true;
    return evaluated.outcome;
  }
}
