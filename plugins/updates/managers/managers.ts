/** The managers that are built. */
import { UpdatesError } from "../errors.js";
import { hostActions } from "./actions/manager.js";
import { bundler } from "./bundler/manager.js";
import { cargo } from "./cargo/manager.js";
import { composer } from "./composer/manager.js";
import type { Manager } from "./contract.js";
import { dep } from "./dep/manager.js";
import { docker } from "./docker/manager.js";
import { elm } from "./elm/manager.js";
import { goModules } from "./go/manager.js";
import { gradle } from "./gradle/manager.js";
import { hex } from "./hex/manager.js";
import { maven } from "./maven/manager.js";
import type { PackageManager } from "./names.js";
import { npmAndYarn } from "./npm/manager.js";
import { nuget } from "./nuget/manager.js";
import { pip } from "./pip/manager.js";
import { submodules } from "./submodules/manager.js";
import { terraform } from "./terraform/manager.js";

const all: readonly Manager[] = [
  // One a line.
  bundler,
  cargo,
  composer,
  dep,
  docker,
  elm,
  goModules,
  gradle,
  hex,
  hostActions,
  maven,
  npmAndYarn,
  nuget,
  pip,
  submodules,
  terraform,
];
const built = new Map<PackageManager, Manager>(all.map((manager) => [manager.id, manager]));

/** @throws UpdatesError `manager_not_built` */
export function managerOf(name: PackageManager): Manager {
  const manager = built.get(name);
  if (manager) return manager;
  throw new UpdatesError(
    "manager_not_built",
    `The package manager ${name} is not supported yet. Supported are ${[...built.keys()].join(", ")}.`,
  );
}
