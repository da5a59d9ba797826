/** Views of a block's settings for the control API and events: plain data. */
import type { FindingView } from "../read/finding.js";
import type { EffectiveSetting, SettingChange } from "./effective.js";
import type { FileState } from "./file-states.js";

export interface FileView {
  readonly path: string;
  readonly origin: "file" | "workspace";
  readonly state: FileState["state"];
  readonly findings: readonly FindingView[];
}

export interface SettingsSnapshot {
  readonly name: string;
  readonly title: string;
  readonly section: string;
  /** Counts changes of what is in force since the daemon started, from 1. */
  readonly version: number;
  /** Milliseconds since the epoch. */
  readonly changedAt: number;
  readonly files: readonly FileView[];
  readonly settings: readonly EffectiveSetting[];
  /** Saves that changed nothing a server would notice. */
  readonly suppressed: number;
}

export interface VersionView {
  readonly version: number;
  readonly at: number;
  readonly changed: readonly SettingChange[];
}

export const fileView = ({ path, origin, state, findings }: FileState): FileView => ({
  path,
  origin,
  state,
  findings,
});
