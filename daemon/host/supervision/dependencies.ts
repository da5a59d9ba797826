/** What supervision needs of the host around it. */
import type { PluginSource } from "../../catalog/source.js";
import type { ProgramBlock } from "../../config/program.js";
import type { Clock } from "../../plugin-api/context.js";
import type { DaemonServices } from "../../services/contract.js";
import type { Announcements } from "../announce.js";
import type { Instance, InstanceConfiguration, Preparation } from "../instance/instance.js";
import type { Quarantine } from "./quarantine.js";

/** A plugin's part of what is committed. */
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
  /** Milliseconds that work in flight may go on when a plugin is to end while the daemon lives. */
  patience(): number;
  /** Makes an instance, within the deadline for it. */
  start(source: PluginSource, signal: AbortSignal): Promise<Instance>;
  /** Asks it to prepare, within the deadline for it. */
  prepare(
    source: PluginSource,
    instance: Instance,
    part: InstanceConfiguration,
    signal: AbortSignal,
  ): Promise<Preparation>;
  readonly announce: Announcements;
}
