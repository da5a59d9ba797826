/** What a package manager brings to the table: a project of 1,000 dependencies, and a lock file to move one in. */
import type { PackageManager } from "../../plugins/updates/managers/names.js";

export interface Project {
  readonly manager: PackageManager;
  /** A manifest with `count` dependencies, all at 1.0.0. */
  files(count: number): Readonly<Record<string, string>>;
  /** One lock file moved by Reeve and by the tool; undefined where there is nothing to compare. */
  readonly lock?: LockRace;
}

export interface LockRace {
  /** The program that has to be on the machine. */
  readonly program: string;
  /** Milliseconds of each, and what was moved. */
  run(): Promise<{ readonly ours: number; readonly theirs: number; readonly what: string }>;
}
