/**
 * `c`: one description of a block gives its validator, its TypeScript type, its JSON Schema, its reference page and its
 * reload rules.
 *
 *     const hook = c.block({
 *       label: c.name(),
 *       attrs: {
 *         timeout: c.duration().default("1m").doc("How long the command may run."),
 *         when: c.expr({ scope: Request, returns: c.boolean() }).optional(),
 *       },
 *       blocks: { verify: c.block({ label: c.oneOf("hmac", "bearer"), attrs: { secret: c.secret() }, max: 4 }) },
 *     });
 */
import type { StandardSchemaV1 } from "@standard-schema/spec";
import { Attribute, BoundedAttribute, composed, StringAttribute, unchecked } from "./attribute.js";
import type {
  BlockDescriptor,
  Deprecation,
  FunctionDescriptor,
  LabelDescriptor,
  NestedBlockDescriptor,
  ReloadClass,
  ScopeDescriptor,
  ScopeNameDescriptor,
} from "./descriptor.js";
import type {
  Block,
  Duration,
  Expression,
  HostPattern,
  Path,
  Pattern,
  Ratio,
  Reference,
  Secret,
  Size,
} from "./values.js";

type Attributes = Readonly<Record<string, Attribute<unknown>>>;
type NestedBlocks = Readonly<Record<string, BlockSchema>>;

export interface BlockOptions<
  Attrs extends Attributes,
  Blocks extends NestedBlocks,
  Max extends number | undefined,
> {
  /** The block's name in its header. Absent: the block has none. `.optional()`: it may be left out. */
  readonly label?: Attribute<string> | Attribute<string | undefined>;
  /** A second name behind the first. */
  readonly secondLabel?: Attribute<string> | Attribute<string | undefined>;
  readonly attrs?: Attrs;
  readonly blocks?: Blocks;
  /** What other blocks may read: `updates.main.url`. */
  readonly exports?: Readonly<Record<string, Export>>;
  /** What an attribute's change asks for unless the attribute says otherwise. @default "restart" */
  readonly reload?: ReloadClass;
  /** For nested blocks: how many there must be. @default 0 */
  readonly min?: number;
  /** For nested blocks: how many there may be. With 1 the value is the block itself or `undefined`, not a list. */
  readonly max?: Max;
  readonly doc?: string;
  /** Whole items in the language. */
  readonly examples?: readonly string[];
  readonly deprecated?: Deprecation;
  /** Checks the whole block after its attributes are valid; calls `report` for errors. */
  readonly check?: BlockCheck;
}

type BlockCheck = (
  // biome-ignore lint/suspicious/noExplicitAny: the values' type is inferred from the options this sits in.
  block: Block<any>,
  report: (path: ReadonlyArray<string | number>, message: string, help?: string) => void,
) => void | Promise<void>;

export interface BlockSchema<
  Attrs extends Attributes = Attributes,
  Blocks extends NestedBlocks = NestedBlocks,
  Max extends number | undefined = number | undefined,
> {
  readonly options: BlockOptions<Attrs, Blocks, Max>;
}

/** The evaluated values of a block. */
export type ValuesOf<Schema> =
  Schema extends BlockSchema<infer Attrs, infer Blocks, infer _Max>
    ? { readonly [Name in keyof Attrs]: Attrs[Name]["value"] } & {
        readonly [Kind in keyof Blocks]: NestedValue<Blocks[Kind]>;
      }
    : never;

type NestedValue<Schema> =
  Schema extends BlockSchema<infer _Attrs, infer _Blocks, infer Max>
    ? Max extends 1
      ? Block<ValuesOf<Schema>> | undefined
      : ReadonlyArray<Block<ValuesOf<Schema>>>
    : never;

export interface Export {
  readonly type: Attribute<unknown>;
  readonly value: string;
  readonly doc?: string;
}

export interface FunctionSchema {
  readonly parameters: Readonly<Record<string, Attribute<unknown>>>;
  readonly returns: Attribute<unknown>;
  readonly doc?: string;
  /** Pure: the same arguments give the same result. Arguments come as plain data. */
  readonly run: (...args: never[]) => unknown;
}

/** Names that a run-time expression may use, with their types. `Values` is what the plugin passes to `evaluate`. */
export interface Scope<Values = Record<string, unknown>> {
  readonly values?: Values;
  readonly descriptor: ScopeDescriptor;
}

interface ScopeName {
  readonly type: Attribute<unknown>;
  readonly doc?: string;
  readonly caseInsensitive?: true;
}

const required = <T>(type: Attribute<unknown>["type"]): Attribute<T> =>
  new Attribute<T>({ type, required: true });

export const c = {
  /** A block: top level by its place in `definePlugin({ blocks })`, nested by its place in another block's `blocks`. */
  block<
    const Attrs extends Attributes = Record<never, never>,
    const Blocks extends NestedBlocks = Record<never, never>,
    const Max extends number | undefined = undefined,
  >(options: BlockOptions<Attrs, Blocks, Max>): BlockSchema<Attrs, Blocks, Max> {
    return { options };
  },

  string: (): StringAttribute => new StringAttribute(),
  /** A name of letters, digits, `_`, `-`, `.` and `/`, as labels usually are. */
  name: (): StringAttribute =>
    new StringAttribute().pattern(
      "^[A-Za-z0-9_][A-Za-z0-9_./-]*$",
      "letters, digits, `_`, `-`, `.` and `/`",
    ),
  number: (): BoundedAttribute<number> => new BoundedAttribute({ type: "number" }),
  integer: (): BoundedAttribute<number> => new BoundedAttribute({ type: "number", integer: true }),
  boolean: (): Attribute<boolean> => required({ type: "boolean" }),
  /** In milliseconds. */
  duration: (): BoundedAttribute<Duration> => new BoundedAttribute({ type: "duration" }),
  /** In bytes. */
  size: (): BoundedAttribute<Size> => new BoundedAttribute({ type: "size" }),
  /** As a ratio of one. */
  percent: (): BoundedAttribute<Ratio> => new BoundedAttribute({ type: "percent" }),
  /** A linear-time regular expression. */
  regex: (): Attribute<Pattern> => required({ type: "regex" }),
  /** Only `secret(…)` and what is made of it; a literal string is refused. */
  secret: (): Attribute<Secret> => required({ type: "secret" }),
  /** A host name, `*` allowed as a whole label or within one. */
  hostPattern: (): Attribute<HostPattern> => required({ type: "host_pattern" }),
  /** A path; relative ones are resolved against the file they are written in. */
  path: (): Attribute<Path> => required({ type: "path" }),
  /** A reference to a block of `kind`: `sandbox.build`. */
  ref: <Kind extends string>(kind: Kind): Attribute<Reference<Kind>> =>
    required({ type: "reference", kind }),
  oneOf: <const Values extends ReadonlyArray<string | number>>(
    ...values: Values
  ): Attribute<Values[number]> => required({ type: "enum", values }),
  /** An expression over run-time names, checked at load, evaluated by the plugin. */
  expr: <T>(options: { scope: Scope; returns: Attribute<T> }): Attribute<Expression<T>> =>
    required({
      type: "expression",
      scope: options.scope.descriptor,
      returns: unchecked(options.returns, "the result of an expression"),
    }),
  list: <T>(items: Attribute<T>, rules: ListRules = {}): Attribute<readonly T[]> =>
    composed(
      { type: "list", items: items.type, ...rules },
      (list: readonly T[]) => list.map((value, index) => [index, items, value]),
      [items],
    ),
  map: <T>(values: Attribute<T>): Attribute<Readonly<Record<string, T>>> =>
    composed(
      { type: "map", values: values.type },
      (map: Readonly<Record<string, T>>) =>
        Object.entries(map).map(([name, value]) => [name, values, value]),
      [values],
    ),
  object: <const Attrs extends Attributes>(
    attrs: Attrs,
  ): Attribute<{ readonly [Name in keyof Attrs]: Attrs[Name]["value"] }> =>
    composed(
      {
        type: "object",
        attributes: mapValues(attrs, (attribute) => attribute.descriptor("restart")),
      },
      (object: Readonly<Record<string, unknown>>) =>
        Object.entries(attrs).map(([name, attribute]) => [name, attribute, object[name]]),
      Object.values(attrs),
    ),
  union: <const Types extends ReadonlyArray<Attribute<unknown>>>(
    ...types: Types
  ): Attribute<Types[number]["value"]> =>
    required({ type: "union", of: types.map((type) => unchecked(type, "a member of a union")) }),
  any: (): Attribute<unknown> => required({ type: "any" }),
  /** A value checked, not changed, by another library's schema, where the plugin runs (https://standardschema.dev). */
  custom: <S extends StandardSchemaV1>(schema: S): Attribute<StandardSchemaV1.InferInput<S>> =>
    new Attribute({ type: { type: "any" }, required: true }, [foreignCheck(schema)]),

  /** The names of a run-time expression. `Values` is the object the plugin will pass to `evaluate`. */
  scope: <Values = Record<string, unknown>>(
    title: string,
    names: Readonly<Record<string, Attribute<unknown> | ScopeName>>,
  ): Scope<Values> => ({
    descriptor: { title, names: mapValues(names, scopeName) },
  }),
  function: (schema: FunctionSchema): FunctionSchema => schema,
  export: (type: Attribute<unknown>, value: string, doc?: string): Export => ({
    type,
    value,
    ...(doc === undefined ? {} : { doc }),
  }),
} as const;

export interface ListRules {
  readonly minItems?: number;
  readonly maxItems?: number;
  readonly unique?: true;
}

function scopeName(name: Attribute<unknown> | ScopeName): ScopeNameDescriptor {
  if (name instanceof Attribute) {
    const { doc } = name.descriptor("live");
    return { type: name.type, ...(doc === undefined ? {} : { doc }) };
  }
  const { type, ...rest } = name;
  return { type: type.type, ...rest };
}

function foreignCheck(schema: StandardSchemaV1): (value: unknown) => Promise<string | undefined> {
  return async (value) => {
    const result = await schema["~standard"].validate(value);
    return result.issues?.map((issue) => issue.message).join("; ");
  };
}

function mapValues<In, Out>(
  record: Readonly<Record<string, In>>,
  change: (value: In) => Out,
): Record<string, Out> {
  return Object.fromEntries(Object.entries(record).map(([name, value]) => [name, change(value)]));
}

/** @internal The data the host reads of a block schema. */
export function describeBlock(schema: BlockSchema): BlockDescriptor {
  const { label, secondLabel, attrs, blocks, exports, doc, examples, deprecated, check } =
    schema.options;
  const reload = schema.options.reload ?? "restart";
  return {
    labels: [label, secondLabel].flatMap((each) => (each ? [describeLabel(each)] : [])),
    attributes: mapValues(attrs ?? {}, (attribute) => attribute.descriptor(reload)),
    blocks: mapValues(blocks ?? {}, describeNested),
    exports: mapValues(exports ?? {}, ({ type, ...rest }) => ({ type: type.type, ...rest })),
    reload,
    ...(doc === undefined ? {} : { doc }),
    ...(examples === undefined ? {} : { examples }),
    ...(deprecated === undefined ? {} : { deprecated }),
    ...(check === undefined ? {} : { checked: true }),
  };
}

function describeNested(schema: BlockSchema): NestedBlockDescriptor {
  const { min, max } = schema.options;
  return {
    ...describeBlock(schema),
    minimum: min ?? 0,
    ...(max === undefined ? {} : { maximum: max }),
  };
}

function describeLabel(label: Attribute<string> | Attribute<string | undefined>): LabelDescriptor {
  const { type, required: needed, doc } = label.descriptor("restart");
  return { type, required: needed, ...(doc === undefined ? {} : { doc }) };
}

/** @internal The data the host reads of a plugin function. */
export function describeFunction(schema: FunctionSchema): FunctionDescriptor {
  return {
    parameters: Object.entries(schema.parameters).map(([name, { type }]) => ({ name, type })),
    returns: schema.returns.type,
    ...(schema.doc === undefined ? {} : { doc: schema.doc }),
  };
}
