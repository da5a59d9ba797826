import type { ControlDependencies, StatusReader } from "./status.js";

/** What every group of routes is given. */
export interface RouteContext {
  readonly subjects: ControlDependencies;
  readonly reader: StatusReader;
  /** Names this life of the daemon. */
  readonly boot: string;
}
