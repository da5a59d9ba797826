/**
 * What configuration becomes. Types only: everybody downstream of the pipeline reads these, nobody upstream does.
 *
 * The pipeline is a pure function of sources and named inputs. It never reads the disk, the environment or a plugin by
 * itself: what it finds it needs, it asks for (`Input`), and it is run again once the answers are there.
 */
import type {
  Diagnostic,
  ExpansionStep,
  Source,
  SourceLocation,
} from "../../grammar/diagnostic.js";
import type { BlockDescriptor, PluginDescription, ReloadClass } from "../plugin-api/descriptor.js";
import type { Range, Secret } from "../plugin-api/values.js";

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
  /** Where each value stands, by path joined with `\u0000`; `""` is the header. */
  readonly ranges: ReadonlyMap<string, Range>;
  /** Keys of the blocks whose exports or identity this one uses. */
  readonly references: readonly BlockKey[];
  readonly doc: string | undefined;
  /** How the block was made, innermost first. */
  readonly trace: readonly ExpansionStep[];
  /** What its plugin says about blocks of this kind. */
  readonly descriptor: BlockDescriptor;
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
  /** The edition of the language that the files are written in. */
  readonly language: number;
  readonly logLevel: "debug" | "info" | "warn" | "error";
  /** Quiet time before an edit is read. */
  readonly settle: number;
  /** How long the previous generation stays ready to come back. */
  readonly probation: number;
  /** How long work in flight may go on when the daemon stops. */
  readonly drainTimeout: number;
  /** Absolute directories outside the configuration's own that `file` and imports may reach into. */
  readonly allowPaths: readonly string[];
  /** How long jobs of a daemon that is gone wait for another. */
  readonly lease: number;
  /** What this daemon is called where several share a store; absent: what the host is called. */
  readonly name: string | undefined;
  /** The database that several daemons share, its address a secret that is not resolved; absent: a file of this daemon's own. */
  readonly store: { readonly postgres: Secret; readonly location: SourceLocation } | undefined;
  /** Run records: how many are kept, for how long, with how much output each, and how large all of them may be. */
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

/** What a `test` block came to. */
export interface TestOutcome {
  readonly name: string;
  readonly location: SourceLocation;
  /** Empty where everything held. */
  readonly failures: ReadonlyArray<{
    readonly location: SourceLocation;
    readonly message: string;
    /** Parts of the expectation with their values, one a line, indented by depth. */
    readonly explanation: readonly string[];
  }>;
}

/** The outcome of a run of the pipeline. `program` is absent when there are errors. */
export interface Loaded {
  readonly program: Program | undefined;
  readonly diagnostics: readonly Diagnostic[];
  /** Every source that was read, by the name diagnostics use; complete even when there are errors. */
  readonly sources: ReadonlyMap<string, Source>;
  /** Absolute paths (files) and absolute patterns to watch, complete even when there are errors. */
  readonly watch: readonly string[];
  /** What the `test` blocks came to; they are run when everything else is free of errors. */
  readonly tests: readonly TestOutcome[];
}

/** A plugin as the pipeline needs it: its description and, on its own side of any border, its checks and functions. */
export interface BoundPlugin {
  readonly description: PluginDescription;
  /** `undefined` for built-in plugins, whose kinds are written bare. */
  readonly namespace: string | undefined;
  /** Its description is known to hold together and is not looked at again: it is part of this package, whose tests did. */
  readonly vouched?: true;
  /** Runs the plugin's own checks on blocks that hold everything declared. Asked only where its schema has some. */
  validate(blocks: readonly ProgramBlock[]): Promise<readonly PluginReport[]>;
  /**
   * Carries out one of the plugin's functions. Arguments are values of the language; a reference to a block of the
   * plugin's own comes as the block itself (`values/block.ts`), its secrets unresolved. Rejects with a sentence.
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
}

/** Finds the plugins of a configuration: the built-in ones and those declared. */
export interface PluginCatalog {
  bind(declarations: readonly PluginDeclaration[], root: string): Promise<BoundCatalog>;
}
export interface BoundCatalog {
  readonly plugins: readonly BoundPlugin[];
  /** Declarations that could not be honoured: not installed, wrong version, will not load. */
  readonly diagnostics: readonly Diagnostic[];
  /** Absolute paths of files whose change means that a declared plugin's code is another one. */
  readonly watch?: readonly string[];
  /** Kinds of plugins that are known and not declared, with the plugin's name: for hints. */
  readonly undeclared?: ReadonlyMap<string, string>;
}

// ---------------------------------------------------------------- plan

export type ChangeAction = "unchanged" | "updated" | "replaced" | "added" | "removed";

export interface Change {
  readonly key: BlockKey;
  readonly plugin: string;
  readonly action: ChangeAction;
  /** What forced it; empty for unchanged, added and removed. */
  readonly reasons: readonly ChangeReason[];
}

export interface ChangeReason {
  /** Attribute path as people write it: `verify[0].secret`. */
  readonly path: string;
  readonly reload: ReloadClass;
  /** Rendered in the language, shortened, secrets as `(secret)`. Absent: was, or is, not there. */
  readonly before?: string;
  readonly after?: string;
}

/** What would happen, or happened, between two programs. */
export interface Plan {
  readonly changes: readonly Change[];
  /** Settings of the `daemon` block that change; all are taken over while it runs. Absent: none. */
  readonly settings?: readonly ChangeReason[];
  /** Changed attributes that only a new daemon takes over: `sandbox.build.engine`. */
  readonly needsRestart: readonly string[];
  readonly summary: Readonly<Record<ChangeAction, number>>;
}
