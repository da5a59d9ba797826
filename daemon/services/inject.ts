/**
 * tsyringe with the metadata library it needs, and the tokens of what is not a class. Every parameter names its token:
 * `@inject(Database)`, because an interface leaves no metadata behind.
 */
import "reflect-metadata";
import type { InjectionToken } from "tsyringe";
import type { Clock, Log } from "../plugin-api/context.js";
import type { InstanceIdentity, ServiceOptions } from "./contract.js";
import type { ProcessRegistry } from "./processes/process-registry.js";
import type { Spawner } from "./processes/spawner.js";

export {
  container,
  type DependencyContainer,
  inject,
  injectable,
  Lifecycle,
  scoped,
} from "tsyringe";

export const token = <Value>(name: string): InjectionToken<Value> => Symbol(name);

export const OPTIONS = token<ServiceOptions>("service options");
export const CLOCK = token<Clock>("clock");
export const LOG = token<Log>("log");
export const SPAWNER = token<Spawner>("spawner");
export const COMMANDS = token<CommandHistory>("commands");
/** In the child container of a plugin instance only. */
export const INSTANCE = token<InstanceIdentity>("instance");

/** Commands that run now, and those a dead daemon left behind. */
export interface CommandHistory {
  /** Absent where its file cannot be used: orphans then survive a restart. */
  readonly registry: ProcessRegistry | undefined;
  /** Resolves when no command of an earlier daemon is left; absent where none was. */
  readonly orphansGone: Promise<void> | undefined;
}
