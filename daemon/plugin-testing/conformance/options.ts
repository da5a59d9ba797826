/** What the conformance suite has to know of a plugin. */
import type { Isolation } from "../../plugin-api/descriptor.js";
import type { PluginUnderTest } from "../plugin-under-test.js";

export interface ConformanceOptions {
  /** A configuration that uses the plugin. A second block makes more to check. */
  readonly config: string;
  /** The same with one block changed, so that `observe` gives something else. */
  readonly edited: string;
  /** A configuration that the plugin itself refuses. @default none: the plugin takes all that its schema allows */
  readonly refused?: string;
  /**
   * Uses the plugin and gives what it does, as plain data: the same whenever it is asked and wherever the plugin runs,
   * so without addresses and times.
   */
  readonly observe: (plugin: PluginUnderTest) => Promise<unknown>;
  /** Gives state, as plain data, of the blocks that `edited` does not change: counters, what was collected. */
  readonly keeps?: (plugin: PluginUnderTest) => Promise<unknown>;
  /** Begins something that would take a minute; resolves when it is under way. */
  readonly work?: (plugin: PluginUnderTest) => Promise<void>;
  /** The texts of secrets that `config` uses, from `environment`. */
  readonly secrets?: readonly string[];
  /** Milliseconds until the signal of `stop` aborts: work under way is then cut off. @default 500 */
  readonly grace?: number;
  /** @default all for a module, `inline` for an object */
  readonly isolations?: readonly Isolation[];

  // ---------------------------------------------------------------- as for `testPlugin`

  readonly files?: Readonly<Record<string, string>>;
  readonly namespace?: string;
  readonly environment?: Readonly<Record<string, string>>;
}

/** One promise that every plugin keeps. */
export interface ConformanceCheck {
  /** `inline: a thrown away preparation leaves no trace` */
  readonly title: string;
  /** @throws AssertionError saying what the plugin did instead */
  readonly run: () => Promise<void>;
}
