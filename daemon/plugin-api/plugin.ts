/**
 * What a plugin is, and its lifecycle.
 *
 * A plugin is one plain object, the default export of a module that does nothing when imported. The host reads its
 * description, binds its blocks into the language, and, when the configuration uses it, calls `setup` once to get an
 * instance. `validate` finds mistakes without side effects; `check`, `plan`, editors and the daemon call it alike. From
 * then on every accepted edit goes through `prepare`: the instance builds what the next configuration
 * needs beside what is running, without touching traffic, and answers with a `commit` (a synchronous swap that cannot
 * fail) and an `abort` (throw the preparation away). `prepare` is called only when one of the plugin's blocks changed.
 * `stop` ends everything. A thrown error is contained, attributed to the plugin and counted; after a crash the host
 * makes a new instance and prepares it with the running configuration.
 */
import type { BlockSchema, FunctionSchema, ValuesOf } from "./block.js";
import type { PluginContext } from "./context.js";
import type { IsolationSupport, Permissions } from "./descriptor.js";
import type { Panel } from "./panel.js";
import type { Migration } from "./state.js";
import type { Block, Range } from "./values.js";

/** The contract version this file describes. The host refuses a plugin written for another one and says what to do. */
export const PLUGIN_API = 1;

export type BlockSchemas = Readonly<Record<string, BlockSchema>>;

export interface PluginDefinition<Blocks extends BlockSchemas = BlockSchemas> {
  /** Lower-case letters, digits and `-`. Third-party block kinds are written under the name bound by `plugin "…"`. */
  readonly id: string;
  readonly title: string;
  /** @see PLUGIN_API */
  readonly api: number;
  readonly version?: string;
  readonly doc?: string;
  readonly blocks: Blocks;
  /** Pure functions for the language, used as `<namespace>.<name>(…)`; evaluated at load, never per request. */
  readonly functions?: Readonly<Record<string, FunctionSchema>>;
  readonly permissions?: Permissions;
  /** @default `{ default: "worker", supports: ["inline", "worker", "process"] }` */
  readonly isolation?: IsolationSupport;
  /** What `setup` gives to `store.database`: `reeve upgrade --check` lists the steps that a state directory lacks. */
  readonly migrations?: Readonly<Record<string, Migration>>;
  /**
   * Reports what is wrong with all blocks together. No side effects; it runs in `reeve check`, `reeve plan`, editors
   * and before every `prepare`, so all of them refuse the same. Called if every block by itself is valid.
   */
  validate?(
    configuration: Pick<Configuration<Blocks>, "blocks">,
    check: ConfigurationCheck,
  ): void | Promise<void>;
  /**
   * Makes the instance. Deadline 30 s. `context` is valid until `stop` has returned.
   * Start nothing that serves users here: that belongs to `prepare`.
   */
  setup(context: PluginContext): PluginInstance<Blocks> | Promise<PluginInstance<Blocks>>;
}

export interface PluginInstance<Blocks extends BlockSchemas = BlockSchemas> {
  /**
   * Builds what `next` needs. Deadline 10 s. To refuse, `report` an error on the range that is wrong, or throw.
   * Never disturbs what is running: until `commit`, `previous` stays in force.
   */
  prepare(
    next: Configuration<Blocks>,
    previous: Configuration<Blocks> | undefined,
    attempt: PrepareAttempt,
  ): Prepared | Promise<Prepared>;
  /** Ends everything: finish or cancel what is in flight, within the deadline of `signal`. Called once. */
  stop?(reason: StopReason, signal: AbortSignal): void | Promise<void>;
  /** Called every few seconds and more often in probation. Deadline 1 s. Absent: healthy as long as it runs. */
  health?(): Health | Promise<Health>;
  /** What the dashboard shows. Called about once a second while a dashboard is open. Deadline 1 s. */
  panels?(): readonly Panel[] | Promise<readonly Panel[]>;
  /** Answers `secret("<plugin id>:<reference>")`. Throw to say why it cannot. */
  resolveSecret?(reference: string, signal: AbortSignal): Promise<string>;
}

/** The blocks of one plugin in one generation, typed, checked, with defaults and resolved secrets. */
export interface Configuration<Blocks extends BlockSchemas = BlockSchemas> {
  readonly generation: number;
  /** In the order of the files; the order carries no meaning. */
  readonly blocks: {
    readonly [Kind in keyof Blocks]: ReadonlyArray<Block<ValuesOf<Blocks[Kind]>>>;
  };
}

export interface ConfigurationCheck {
  /** Absolute directory of the configuration. */
  readonly directory: string;
  /** Whether files, users and programs of this machine may be examined. Without it secrets are unresolved. */
  readonly host: boolean;
  report(range: Range, message: string, options?: ReportOptions): void;
  /** Declares an address where the plugin will listen. The daemon checks its form and whether it is free. */
  listens(range: Range, address: string): void;
}

export type ChangeAction = "unchanged" | "updated" | "replaced" | "added" | "removed";

export interface PrepareAttempt {
  /** What happens to each block, by its key. `updated` asks to keep the block's state, `replaced` to start it afresh. */
  readonly changes: ReadonlyMap<string, ChangeAction>;
  /**
   * Complains about a place in the configuration. An error refuses the generation when `prepare` returns;
   * a warning is shown and nothing else.
   */
  report(range: Range, message: string, options?: ReportOptions): void;
  /** Aborted when the attempt is given up. */
  readonly signal: AbortSignal;
}

export interface ReportOptions {
  /** @default "error" */
  readonly severity?: "error" | "warning";
  /** A short name in snake case; shown as `<plugin id>.<code>`. @default "refused" */
  readonly code?: string;
  readonly help?: string;
  /**
   * It is about this machine, not about the text: a missing program, an unset secret. Elsewhere it is a warning, and the
   * daemon shows it as long as it lasts.
   */
  readonly host?: boolean;
  /**
   * It is about a file that a running block has read before and goes on with. A reload applies the rest of the edit: for
   * a block that runs, the finding is a warning, and the daemon shows it as long as it lasts.
   */
  readonly keeps?: boolean;
}

export interface Prepared {
  /** Makes the prepared state the running one. Synchronous; must not throw. Called at most once. */
  commit(): void;
  /** Throws the prepared state away. Called instead of `commit`. */
  abort?(): void | Promise<void>;
  /**
   * Called some time after `commit`, when there is no way back to the generation before (probation is over):
   * release what was kept for it. Work that began on it still finishes.
   */
  release?(): void | Promise<void>;
}

export type StopReason =
  /** The daemon ends. */
  | "shutdown"
  /** No block of the plugin is configured any more. */
  | "removed"
  /** A new instance takes over: a new version of the code, or a restart by hand. */
  | "replaced"
  /** It was not healthy. */
  | "failed";

export interface Health {
  /** `degraded`: works in part, shown; `failed`: does not do its job, counts as a failure in probation. */
  readonly state: "healthy" | "degraded" | "failed";
  /** One sentence for people. Wanted unless healthy. */
  readonly reason?: string;
}

/**
 * Declares a plugin. Returns the same object, frozen; exists for its types.
 * @throws TypeError when the object is not a plugin: a missing id, an id with other characters, no setup.
 */
export function definePlugin<const Blocks extends BlockSchemas>(
  definition: PluginDefinition<Blocks>,
): PluginDefinition<Blocks> {
  if (!/^[a-z][a-z0-9-]*$/.test(definition.id)) {
    throw new TypeError(
      `A plugin's id is made of lower-case letters, digits and "-", starting with a letter; got ${JSON.stringify(definition.id)}.`,
    );
  }
  if (typeof definition.setup !== "function") {
    throw new TypeError(`The plugin "${definition.id}" has no setup function.`);
  }
  return Object.freeze(definition);
}
