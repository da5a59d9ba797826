/** The results of the pipeline, as types only. Its consumers import this file; the pipeline's inputs do not. */
import type {
  Diagnostic,
  ExpansionStep,
  Source,
  SourceLocation,
} from "../../grammar/diagnostic.js";
import type { BlockDescriptor, PluginDescription, ReloadClass } from "../plugin-api/descriptor.js";
import type { ChangeAction } from "../plugin-api/plugin.js";
import type { Range, Secret } from "../plugin-api/values.js";
import type { Address } from "./address.js";

/** `hook.deploy`, `acme.chat.ops`, `hook["a b"]`: a block's identity across generations. */
export type BlockKey = string;

/** A checked configuration, ready to be planned against another one. */
export interface Program {
  /** Absolute path of the root file. */
  readonly root: string;
  readonly daemon: DaemonSettings;
  /** Top-level blocks of all plugins, in source order. */
  readonly blocks: ReadonlyMap<BlockKey, ProgramBlock>;
  readonly declarations: readonly PluginDeclaration[];
  /** Everything besides the sources that the result depends on; a change of any of them is a reason to reload. */
  readonly inputs: readonly Input[];
  /** SHA-256 over all sources and inputs, hexadecimal. */
  readonly sourceHash: string;
}

export interface ProgramBlock {
  readonly key: BlockKey;
  /** The id of the plugin that owns the block. */
  readonly plugin: string;
  /** Without namespace. */
  readonly kind: string;
  readonly labels: readonly string[];
  /**
   * Evaluated attributes and nested blocks by name, defaults filled in, as `plugin-api/values.ts` describes them.
   * Secrets are unresolved until `resolveSecrets` has run.
   */
  readonly values: Readonly<Record<string, unknown>>;
  /** The location of each value, by path joined with `\u0000`; `""` is the header. */
  readonly ranges: ReadonlyMap<string, Range>;
  /** Keys of the blocks whose exports or identity this one uses. */
  readonly references: readonly BlockKey[];
  readonly doc: string | undefined;
  /** The expansion of the block, innermost first. */
  readonly trace: readonly ExpansionStep[];
  /** Its plugin's description of this kind. */
  readonly descriptor: BlockDescriptor;
  /** The secrets that its values are made of: `env:TOKEN`. */
  readonly secrets: readonly string[];
  /** With resolved secrets: the block as it was before. */
  readonly unresolved?: ProgramBlock;
}

/** `plugin "acme" { source = …; version = …; isolation = … }`. */
export interface PluginDeclaration {
  /** The namespace its kinds are written under. */
  readonly name: string;
  readonly source: string;
  readonly version: string | undefined;
  readonly isolation: "inline" | "worker" | "process" | undefined;
  readonly location: SourceLocation;
  readonly ranges: ReadonlyMap<string, Range>;
}

/** The host's own settings, from the `daemon` block. Durations in milliseconds, sizes in bytes. */
export interface DaemonSettings {
  /** The language edition of the files. */
  readonly language: number;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  /** Quiet time before the daemon reads an edit. */
  readonly settle: number;
  /** Time during which the previous generation stays ready for a rollback. */
  readonly probation: number;
  /** Time for work in flight to finish when the daemon stops. */
  readonly drainTimeout: number;
  /** Absolute directories outside the configuration's own that `file` and imports may read. */
  readonly allowPaths: readonly string[];
  /** Time until other daemons take over the jobs of a daemon that stopped responding. */
  readonly lease: number;
  /** The name of this daemon among daemons that share a store; defaults to the host name. */
  readonly name: string | undefined;
  /** The database that several daemons share, its address an unresolved secret; absent: a local file. */
  readonly store: { readonly postgres: Secret; readonly location: SourceLocation } | undefined;
  /** Retention of run records: number, age, output each and total size. */
  readonly runs: {
    readonly keep: number;
    readonly age: number;
    readonly output: number;
    readonly total: number;
  };
}

export type Input =
  | { readonly kind: "file"; readonly path: string; readonly hash: string | undefined }
  | { readonly kind: "glob"; readonly pattern: string; readonly hash: string }
  | { readonly kind: "environment"; readonly name: string; readonly hash: string | undefined }
  | { readonly kind: "secret"; readonly reference: string };

/** The result of a `test` block. */
export interface TestOutcome {
  readonly name: string;
  readonly location: SourceLocation;
  /** Empty if every expectation holds. */
  readonly failures: ReadonlyArray<{
    readonly location: SourceLocation;
    readonly message: string;
    /** The parts of the expectation with their values, one per line, indented by depth. */
    readonly explanation: readonly string[];
  }>;
}

/** The result of a run of the pipeline. `program` is absent if there are errors. */
export interface Loaded {
  readonly program: Program | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Every source that was read, by its name in diagnostics; complete even with errors. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Absolute paths and patterns to watch; complete even with errors. */
  readonly watch: readonly string[];
  /** Results of the `test` blocks, which run only if everything else is valid. */
  readonly tests: readonly TestOutcome[];
}

/** A plugin as the pipeline uses it: its description, and its checks and functions across any isolation boundary. */
export interface BoundPlugin {
  readonly description: PluginDescription;
  /** `undefined` for built-in plugins, whose kinds are written bare. */
  readonly namespace: string | undefined;
  /**
   * Its description is known to be valid and is not checked again: it belongs to this package, whose tests check it.
   */
  readonly vouched?: true;
  /** Runs the plugin's own checks on blocks that match the schema. Called only if the schema has such checks. */
  validate(blocks: readonly ProgramBlock[]): Promise<readonly PluginReport[]>;
  /** The plugin's `validate` for all its blocks; absent if it has none. */
  readonly inspect?: (
    blocks: readonly ProgramBlock[],
    options: ValidationOptions,
  ) => Promise<PluginFindings>;
  /**
   * Calls one of the plugin's functions. Arguments are values of the language; a reference to one of the plugin's own
   * blocks is passed as the block (`values/block.ts`), its secrets unresolved. Rejects with an error message.
   */
  call(name: string, args: readonly unknown[]): Promise<unknown>;
}

export interface PluginReport {
  readonly range: Range;
  readonly message: string;
  readonly severity: "error" | "warning";
  /** Without the plugin's id. */
  readonly code: string;
  readonly help: string | undefined;
  /** It is about the machine. */
  readonly host?: boolean | undefined;
  /** A block that runs goes on with what it has read before. */
  readonly keeps?: boolean | undefined;
}

/** The result of a plugin's `validate`. */
export interface PluginFindings {
  readonly reports: readonly PluginReport[];
  /** Where the plugin will listen. */
  readonly addresses: ReadonlyArray<{ readonly range: Range; readonly address: string }>;
}

export interface ValidationOptions {
  /** Absolute directory of the configuration. */
  readonly directory: string;
  /** Whether the plugin may examine this machine. */
  readonly host: boolean;
}

/** The machine that a configuration is checked for. */
export interface HostProbe {
  /** Findings about the machine are warnings: the configuration may be for another one. */
  readonly lenient?: boolean;
  /** Whether a block runs already. */
  readonly runs?: (key: string) => boolean;
  /** The content of a secret; `undefined` if only a running plugin has it. Rejects with a sentence. */
  secret(reference: string): Promise<string | undefined>;
  /** Why the daemon cannot listen on the address, if so. */
  address(address: Address): Promise<Unavailable | undefined>;
  /** Rejects if the text is no address of a database. */
  database(address: string): Promise<void>;
}

export interface Unavailable {
  /** One sentence without a full stop. */
  readonly message: string;
  readonly help?: string | undefined;
}

/** Finds the plugins of a configuration: the built-in ones and those declared. */
export interface PluginCatalog {
  bind(declarations: readonly PluginDeclaration[], root: string): Promise<BoundCatalog>;
}
export interface BoundCatalog {
  readonly plugins: readonly BoundPlugin[];
  /** Diagnostics of declarations: not installed, wrong version, loading failed. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absolute paths of a declared plugin's code files. */
  readonly watch?: readonly string[];
  /** Kinds of known but undeclared plugins, with the plugin's name: for hints. */
  readonly undeclared?: ReadonlyMap<string, string>;
}

// ---------------------------------------------------------------- plan

export type { ChangeAction };

export interface Change {
  readonly key: BlockKey;
  readonly plugin: string;
  readonly action: ChangeAction;
  /** The causes; empty for unchanged, added and removed. */
  readonly reasons: readonly ChangeReason[];
}

export interface ChangeReason {
  /** Attribute path as people write it: `verify[0].secret`. */
  readonly path: string;
  readonly reload: ReloadClass;
  /** Rendered in the language, shortened, secrets as `(secret)`. Absent if there is no value. */
  readonly before?: string;
  readonly after?: string;
}

/** The changes between two programs. */
export interface Plan {
  readonly changes: readonly Change[];
  /** Changed settings of the `daemon` block, all applied at run time. Absent: none. */
  readonly settings?: readonly ChangeReason[];
  /** Changed attributes that require a restart: `sandbox.build.engine`. */
  readonly needsRestart: readonly string[];
  readonly summary: Readonly<Record<ChangeAction, number>>;
}
