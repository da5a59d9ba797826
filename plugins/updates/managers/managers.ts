/** The sixteen managers, by the names that the API gives them. */
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

const managers: Readonly<Record<PackageManager, Manager>> = {
  bundler,
  cargo,
  composer,
  dep,
  docker,
  elm,
  go_modules: goModules,
  gradle,
  hex,
  host_actions: hostActions,
  maven,
  npm_and_yarn: npmAndYarn,
  nuget,
  pip,
  submodules,
  terraform,
};

export const managerOf = (name: PackageManager): Manager => managers[name];
