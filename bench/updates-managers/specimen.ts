/** One manager's manifest with many dependencies, and what its registry answers, for the benchmark. */

import type { ManagerSettings } from "../../plugins/updates/managers/contract.js";
import type { PackageManager } from "../../plugins/updates/managers/index.js";
import type { GitReference } from "../../plugins/updates/registries/contract.js";

export interface Specimen {
  readonly manager: PackageManager;
  /** A repository whose manifests name `count` dependencies of version 1.0.0. */
  files(count: number): Readonly<Record<string, string>>;
  /** What the registry says at this address: versions 1.0.0 to 1.39.0. */
  answer?(url: string): string | Uint8Array;
  /** Where not the public registry is asked. */
  readonly registries?: ManagerSettings["registries"];
  /** Where tags are asked for. */
  readonly references?: readonly GitReference[];
}

export const VERSIONS: readonly string[] = Array.from({ length: 40 }, (_, minor) => `1.${minor}.0`);

export const names = (count: number): readonly string[] =>
  Array.from({ length: count }, (_, index) => `package-${index}`);
