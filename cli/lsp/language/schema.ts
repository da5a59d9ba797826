/** Kinds of blocks by the names they are written under, and the types of values at a cursor. */
import { daemonDescriptor, pluginDescriptor } from "../../../daemon/config/daemon-block.js";
import { functions } from "../../../daemon/config/functions/functions.js";
import type { FunctionSignature } from "../../../daemon/config/functions/signature.js";
import type { BoundPlugin } from "../../../daemon/config/program.js";
import type {
  BlockDescriptor,
  FunctionDescriptor,
  ScopeNameDescriptor,
  TypeDescriptor,
} from "../../../daemon/plugin-api/descriptor.js";

/** A function as features show it. */
export interface NamedFunction {
  /** As it is written: `lower`, `acme.initials`. */
  readonly name: string;
  readonly doc: string;
  readonly parameters: ReadonlyArray<{
    readonly name: string;
    readonly optional: boolean;
    /** Takes all further arguments. */
    readonly rest: boolean;
    readonly type?: TypeDescriptor;
  }>;
  readonly examples: ReadonlyArray<readonly [call: string, result: string]>;
}

const testDescriptor: BlockDescriptor = {
  labels: [{ type: { type: "string" }, required: true }],
  attributes: {
    expect: {
      type: { type: "any" },
      required: false,
      reload: "live",
      doc: "Holds if all its values are true. May be given several times.",
    },
    reject: {
      type: { type: "any" },
      required: false,
      reload: "live",
      doc: "Holds if all its values are false. May be given several times.",
    },
  },
  blocks: {},
  exports: {},
  reload: "live",
  doc: "A test of the configuration: `reeve check` runs it, and the daemon before an edit takes effect.",
};

/** Everything that the language and the plugins define. */
export class Vocabulary {
  readonly #kinds = new Map<string, BlockDescriptor>();
  readonly #functions = new Map<string, NamedFunction>();
  readonly #predicates = new Map<string, NamedFunction>();

  constructor(plugins: readonly BoundPlugin[]) {
    this.#kinds.set("daemon", daemonDescriptor).set("plugin", pluginDescriptor);
    this.#kinds.set("test", testDescriptor);
    for (const { description, namespace } of plugins) {
      const prefix = namespace === undefined ? "" : `${namespace}.`;
      for (const [name, block] of Object.entries(description.blocks))
        this.#kinds.set(prefix + name, block);
      for (const [name, descriptor] of Object.entries(description.functions)) {
        const isPredicate = descriptor.parameters[0]?.type.type === "reference";
        if (isPredicate) this.#predicates.set(name, functionOfPlugin(name, descriptor));
        const written = `${namespace ?? description.id}.${name}`;
        this.#functions.set(written, functionOfPlugin(written, descriptor));
      }
    }
    for (const signature of functions.values())
      this.#functions.set(signature.name, functionOfLanguage(signature));
  }

  get kinds(): ReadonlyMap<string, BlockDescriptor> {
    return this.#kinds;
  }

  /** Predicates of plugins have bare names in tests. */
  functions(inTest = false): readonly NamedFunction[] {
    return [...this.#functions.values(), ...(inTest ? this.#predicates.values() : [])];
  }

  function(name: string): NamedFunction | undefined {
    return this.#functions.get(name) ?? this.#predicates.get(name);
  }

  /** The descriptor of a block by the kinds it is nested in, outermost first. */
  block(kinds: readonly string[]): BlockDescriptor | undefined {
    const [first, ...rest] = kinds;
    let at = first === undefined ? undefined : this.#kinds.get(first);
    for (const kind of rest)
      at = at && Object.hasOwn(at.blocks, kind) ? at.blocks[kind] : undefined;
    return at;
  }
}

function functionOfLanguage({ name, doc, parameters, examples }: FunctionSignature): NamedFunction {
  return {
    name,
    doc,
    parameters: parameters.map((each) => ({
      name: each.name,
      optional: each.optional ?? false,
      rest: each.rest ?? false,
    })),
    examples,
  };
}

function functionOfPlugin(
  name: string,
  { doc = "", parameters }: FunctionDescriptor,
): NamedFunction {
  return {
    name,
    doc,
    parameters: parameters.map((each) => ({
      name: each.name,
      type: each.type,
      optional: false,
      rest: false,
    })),
    examples: [],
  };
}

/** `replace(text, old, new)`. */
export function signatureOf({ name, parameters }: NamedFunction): string {
  const shown = parameters.map(({ name: each, optional, rest }) =>
    rest ? `${each}…` : optional ? `${each}?` : each,
  );
  return `${name}(${shown.join(", ")})`;
}

/** The alternatives of a type, wrappers removed: what a value may be written as. */
export function alternativesOf(type: TypeDescriptor | undefined): readonly TypeDescriptor[] {
  if (type === undefined) return [];
  if (type.type === "union") return type.of.flatMap(alternativesOf);
  if (type.type === "expression") return alternativesOf(type.returns);
  return [type];
}

/** The type of an element or entry. */
export function typeInside(
  type: TypeDescriptor | undefined,
  step: { readonly kind: "list" } | { readonly kind: "object"; readonly key: string | undefined },
): TypeDescriptor | undefined {
  for (const each of alternativesOf(type)) {
    if (step.kind === "list" && each.type === "list") return each.items;
    if (step.kind !== "object") continue;
    if (each.type === "map") return each.values;
    if (
      each.type === "object" &&
      step.key !== undefined &&
      Object.hasOwn(each.attributes, step.key)
    )
      return each.attributes[step.key]?.type;
  }
  return undefined;
}

/** The run-time names that a value of this type may use. */
export function runTimeNames(
  type: TypeDescriptor | undefined,
): ReadonlyMap<string, ScopeNameDescriptor> {
  const found = new Map<string, ScopeNameDescriptor>();
  const visit = (each: TypeDescriptor): void => {
    if (each.type === "expression")
      for (const [name, described] of Object.entries(each.scope.names)) found.set(name, described);
    else if (each.type === "list") visit(each.items);
    else if (each.type === "map") visit(each.values);
    else if (each.type === "union") each.of.forEach(visit);
    else if (each.type === "object")
      for (const attribute of Object.values(each.attributes)) visit(attribute.type);
  };
  if (type) visit(type);
  return found;
}
