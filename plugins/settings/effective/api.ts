/** What others are told of a block's settings, over the control API and in events: plain data. */
import { type Finding, placeOf } from "../read/finding.js";
import type { Change, Setting } from "./effective.js";
import type { FileState } from "./file-states.js";

export interface FindingView extends Omit<Finding, "span" | "related"> {
  readonly line?: number;
  readonly column?: number;
}

export interface ToldFile {
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
  readonly files: readonly ToldFile[];
  readonly settings: readonly Setting[];
  /** Saves that changed nothing a server would notice. */
  readonly suppressed: number;
}

export interface ToldVersion {
  readonly version: number;
  readonly at: number;
  readonly changed: readonly Change[];
}

export const toldFile = ({ path, origin, state, findings }: FileState): ToldFile => ({
  path,
  origin,
  state,
  findings,
});

export function toldFinding({ span, related: _, ...rest }: Finding, text: string): FindingView {
  return span ? { ...rest, ...placeOf(text, span.start) } : rest;
}
