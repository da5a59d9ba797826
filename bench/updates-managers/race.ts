/** One lock file moved by Reeve and by the manager's own tool, for the benchmark. */
import type { PackageManager } from "../../plugins/updates/managers/index.js";

export interface LockRace {
  readonly manager: PackageManager;
  /** What has to be on the machine. */
  readonly program: string;
  /** The directory it is in, where the tests bring it themselves. */
  brings?(): Promise<string>;
  /** Milliseconds of each, and what was moved. */
  run(): Promise<{ readonly ours: number; readonly theirs: number; readonly moved: string }>;
}
