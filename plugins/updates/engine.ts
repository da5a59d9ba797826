/**
 * The engine's face for the rest of the plugin: managers, look-ups, decisions, lock workers, advisories. It knows no store, no
 * server, no clock of its own and no repository; whoever uses it brings them.
 */

export { type Advisories, readAdvisories } from "./advisories/osv.js";
export type * from "./decide/contract.js";
export { propose } from "./decide/propose.js";
export type * from "./managers/contract.js";
export {
  managerOf,
  managers,
  type PackageManager,
  packageManager,
  packageManagers,
} from "./managers/index.js";
export { createLockWorkers } from "./managers/lock/pool.js";
export type * from "./registries/contract.js";
export { lsRemote } from "./registries/git-references.js";
export { createLookup } from "./registries/lookup.js";
export { bytesOf, textOf } from "./text/text.js";
export { semverChange } from "./versions/change.js";
