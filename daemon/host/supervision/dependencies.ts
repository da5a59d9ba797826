/** What supervision needs from the host. */
import type { PluginSource } from "../../catalog/source.js";
import type { ProgramBlock } from "../../config/program.js";
import type { Clock } from "../../plugin-api/context.js";
import type { DaemonServices } from "../../services/contract.js";
import type { Announcements } from "../announce.js";
import type { Instance, InstanceConfiguration, Preparation } from "../instance/instance.js";
import type { Quarantine } from "./quarantine.js";

/** A plugin's part of the committed configuration. */
export interface CommittedConfiguration {
  readonly generation: number;
  readonly blocks: readonly ProgramBlock[];
}

export interface SupervisorDependencies {
  readonly kit: DaemonServices;
  readonly clock: Clock;
  readonly quarantine: Quarantine;
  /** Aborted when the host stops. */
  readonly signal: AbortSignal;
  /** In 0..1. */
  random(): number;
  /** Milliseconds that work in flight may continue when a plugin stops. */
  patience(): number;
  /** Milliseconds that a plugin has after that, to record what was cut off. */
  readonly lastRites: number;
  /** Starts an instance with its deadline. */
  start(source: PluginSource, signal: AbortSignal): Promise<Instance>;
  /** Calls `prepare` with its deadline. */
  prepare(
    source: PluginSource,
    instance: Instance,
    part: InstanceConfiguration,
    signal: AbortSignal,
  ): Promise<Preparation>;
  readonly announce: Announcements;
}
