/** A language server as data: what its settings are, what they were once called, and what a change of one asks for. */

/** Any JSON Schema of draft-04, draft-07 or 2020-12 about an object. */
export interface JsonSchema {
  readonly $schema?: string;
  readonly title?: string;
  readonly description?: string;
  readonly type?: string | readonly string[];
  readonly properties?: Readonly<Record<string, PropertySchema>>;
  readonly additionalProperties?: unknown;
  readonly patternProperties?: unknown;
  readonly [keyword: string]: unknown;
}

export interface PropertySchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly [keyword: string]: unknown;
}

/** When a change of a property is seen. */
export type Live =
  /** With the next request of the editor. */
  | "request"
  /** When a document is looked at again: edited, saved, opened. */
  | "diagnostics"
  /** At once: the server starts working. */
  | "work"
  /** Stored for what is worked out later; what was worked out before stays until a restart. */
  | "restart"
  /** Nothing is known about it. */
  | "unknown";

/** A key that the server knew once. */
export interface Retired {
  /** What became of it, in a few words. */
  readonly note: string;
  /** The key to use instead, where one keeps the meaning. */
  readonly use?: string;
}

/** What a path has to be. The server drops one that is not. */
export interface PathRule {
  readonly kind: "file" | "directory";
  readonly mayBeMissing?: true;
}

export interface Server {
  /** As it is written in `settings "NAME"`. */
  readonly name: string;
  readonly title: string;
  readonly schema: JsonSchema;
  /** The section an editor and a server call it by. Empty: the keys begin with their sections. */
  readonly section: string;
  readonly live: Readonly<Record<string, Live>>;
  readonly retired: Readonly<Record<string, Retired>>;
  readonly paths: Readonly<Record<string, PathRule>>;
  /** What people write by guess, and mean, where it is nearer to another key by its letters. */
  readonly guesses: Readonly<Record<string, string>>;
  /** What people write in front of a key because another program wants it there: `zig.zls.`. */
  readonly prefixes: readonly string[];
  /** The schema is Reeve's own and needs no check, which takes longer than all the rest. */
  readonly isValid?: true;
  /** The server may have settings that the schema lacks. They are reported, and delivered. */
  readonly isPartial?: true;
}

/** A server that is known by its schema only. */
export const serverFrom = (name: string, schema: JsonSchema): Server => ({
  name,
  title: schema.title ?? name,
  schema,
  section: name,
  live: {},
  retired: {},
  guesses: {},
  paths: {},
  prefixes: [`${name}.`],
});

export const schemaProperties = ({ schema }: Server): ReadonlyMap<string, PropertySchema> =>
  new Map(Object.entries(schema.properties ?? {}));
