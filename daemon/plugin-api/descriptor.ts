/**
 * A plugin's part of the language as plain data. `c` writes it, the host reads it: validator, completion,
 * JSON Schema, reference pages and reload rules all come from here. It crosses every isolation border as JSON.
 */

/**
 * What a change of an attribute asks for:
 * `live` — the running instance takes it over; `restart` — the block is replaced; `daemon` — only a new daemon can.
 */
export type ReloadClass = "live" | "restart" | "daemon";

export type TypeDescriptor =
  | {
      readonly type: "string";
      readonly minLength?: number;
      readonly maxLength?: number;
      /** RE2 source that must match somewhere; anchored by its author. */
      readonly pattern?: string;
      /** What `pattern` means, for the message: "lower-case letters and digits". */
      readonly patternMeaning?: string;
    }
  | {
      readonly type: "number";
      readonly integer?: true;
      readonly minimum?: number;
      readonly maximum?: number;
    }
  | { readonly type: "boolean" }
  /** Bounds in milliseconds. */
  | { readonly type: "duration"; readonly minimum?: number; readonly maximum?: number }
  /** Bounds in bytes. */
  | { readonly type: "size"; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: "percent"; readonly minimum?: number; readonly maximum?: number }
  | { readonly type: "regex" }
  | { readonly type: "secret" }
  | { readonly type: "host_pattern" }
  | { readonly type: "path" }
  | { readonly type: "enum"; readonly values: ReadonlyArray<string | number> }
  | { readonly type: "reference"; readonly kind: string }
  | {
      readonly type: "expression";
      readonly scope: ScopeDescriptor;
      readonly returns: TypeDescriptor;
    }
  | {
      readonly type: "list";
      readonly items: TypeDescriptor;
      readonly minItems?: number;
      readonly maxItems?: number;
      readonly unique?: true;
    }
  /** An object with any names and values of one type. */
  | { readonly type: "map"; readonly values: TypeDescriptor }
  | { readonly type: "object"; readonly attributes: Readonly<Record<string, AttributeDescriptor>> }
  | { readonly type: "union"; readonly of: readonly TypeDescriptor[] }
  /** Any value of the language. `schema` is what a foreign validator says about itself, where it can. */
  | { readonly type: "any"; readonly schema?: unknown };

/** The names a run-time expression may use. */
export interface ScopeDescriptor {
  /** As people call it: "request". */
  readonly title: string;
  readonly names: Readonly<Record<string, ScopeNameDescriptor>>;
}

export interface ScopeNameDescriptor {
  readonly type: TypeDescriptor;
  readonly doc?: string;
  /** Index keys are compared in lower case (`header["X-Env"]`); the scope object's keys must be lower case. */
  readonly caseInsensitive?: true;
}

export interface Deprecation {
  /** The plugin version that deprecated it. */
  readonly since: string;
  /** The attribute or block to use instead; `reeve fix` renames to it where the value keeps its meaning. */
  readonly use?: string;
  readonly note?: string;
}

export interface AttributeDescriptor {
  readonly type: TypeDescriptor;
  readonly required: boolean;
  /** A constant expression in the language: `1m`, `["POST"]`. */
  readonly default?: string;
  readonly doc?: string;
  /** Constant expressions in the language. */
  readonly examples?: readonly string[];
  readonly reload: ReloadClass;
  readonly deprecated?: Deprecation;
  /** No longer accepted, but still known: "was removed in 3.0, use `exec`". */
  readonly removed?: Deprecation;
  /** The plugin itself checks the value further. */
  readonly checked?: true;
}

export interface LabelDescriptor {
  readonly type: TypeDescriptor;
  readonly required: boolean;
  readonly doc?: string;
}

export interface ExportDescriptor {
  readonly type: TypeDescriptor;
  /** An expression in the language over the block's own attributes: `"http://${listen}"`. */
  readonly value: string;
  readonly doc?: string;
}

export interface BlockDescriptor {
  readonly labels: readonly LabelDescriptor[];
  readonly attributes: Readonly<Record<string, AttributeDescriptor>>;
  /** Nested blocks by kind. */
  readonly blocks: Readonly<Record<string, NestedBlockDescriptor>>;
  readonly exports: Readonly<Record<string, ExportDescriptor>>;
  readonly doc?: string;
  /** Whole items in the language. */
  readonly examples?: readonly string[];
  /** What an attribute's change asks for unless the attribute says otherwise. */
  readonly reload: ReloadClass;
  readonly deprecated?: Deprecation;
  /** The plugin itself checks the whole block further. */
  readonly checked?: true;
}

export interface NestedBlockDescriptor extends BlockDescriptor {
  readonly minimum: number;
  /** Absent: any number. One at most: the value is the block itself or `undefined`, not a list. */
  readonly maximum?: number;
}

/** What a plugin says about itself without being started. */
export interface PluginDescription {
  readonly id: string;
  readonly title: string;
  /** The plugin contract it was written for. */
  readonly api: number;
  readonly version?: string;
  readonly doc?: string;
  readonly blocks: Readonly<Record<string, BlockDescriptor>>;
  readonly functions: Readonly<Record<string, FunctionDescriptor>>;
  readonly permissions: Permissions;
  readonly isolation: IsolationSupport;
  /** The plugin has a `validate`. */
  readonly validates?: true;
  /** Names of the steps of its tables, in their order. */
  readonly migrations?: readonly string[];
}

/** A pure function added to the language under the plugin's namespace; evaluated at load only. */
export interface FunctionDescriptor {
  readonly parameters: ReadonlyArray<{ readonly name: string; readonly type: TypeDescriptor }>;
  readonly returns: TypeDescriptor;
  readonly doc?: string;
}

/**
 * What a plugin wants to touch. Shown by `reeve plugin list`; enforced by Node's permission model in `process`
 * isolation; audited elsewhere. `true` means "anything", a list means "these".
 */
export interface Permissions {
  readonly net?: true | readonly string[];
  readonly exec?: true | readonly string[];
  readonly read?: true | readonly string[];
  readonly write?: true | readonly string[];
  readonly listen?: true | readonly string[];
  readonly env?: true | readonly string[];
}

export type Isolation = "inline" | "worker" | "process";

export interface IsolationSupport {
  readonly default: Isolation;
  readonly supports: readonly Isolation[];
}
