/** Where the host gets a plugin's code from, once the catalog knows it. */
import type { Isolation, PluginDescription } from "../plugin-api/descriptor.js";
import type { PluginDefinition } from "../plugin-api/plugin.js";

export interface PluginSource {
  readonly description: PluginDescription;
  /** `undefined` for built-in plugins. */
  readonly namespace: string | undefined;
  readonly version: string | undefined;
  /** Where the code is to run. */
  readonly isolation: Isolation;
  /** Directories and files the code is read from. */
  readonly code: readonly string[];
  /** Different when the code, or where it runs, is. */
  readonly fingerprint: string;
  /** URL of the module; `undefined` for a definition passed as an object, which can only run inline. */
  readonly module: string | undefined;
  /** The definition itself, for running it inline. The only place where a plugin's code enters the main thread. */
  definition(): Promise<PluginDefinition>;
}
