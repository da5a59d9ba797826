/** The sixteen managers, by the names that the API gives them. */
import type { Manager } from "./contract.js";
import type { PackageManager } from "./names.js";

/** Each with its parsers, which take memory: loaded when a repository has something of theirs. */
const loaders: Readonly<Record<PackageManager, () => Promise<Manager>>> = {
  bundler: async () => (await import("./bundler/manager.js")).bundler,
  cargo: async () => (await import("./cargo/manager.js")).cargo,
  composer: async () => (await import("./composer/manager.js")).composer,
  dep: async () => (await import("./dep/manager.js")).dep,
  docker: async () => (await import("./docker/manager.js")).docker,
  elm: async () => (await import("./elm/manager.js")).elm,
  go_modules: async () => (await import("./go/manager.js")).goModules,
  gradle: async () => (await import("./gradle/manager.js")).gradle,
  hex: async () => (await import("./hex/manager.js")).hex,
  host_actions: async () => (await import("./actions/manager.js")).hostActions,
  maven: async () => (await import("./maven/manager.js")).maven,
  npm_and_yarn: async () => (await import("./npm/manager.js")).npmAndYarn,
  nuget: async () => (await import("./nuget/manager.js")).nuget,
  pip: async () => (await import("./pip/manager.js")).pip,
  submodules: async () => (await import("./submodules/manager.js")).submodules,
  terraform: async () => (await import("./terraform/manager.js")).terraform,
};

const loaded = new Map<PackageManager, Promise<Manager>>();

/** Loads it when it is asked for first. */
export function managerOf(name: PackageManager): Promise<Manager> {
  const known = loaded.get(name) ?? loaders[name]();
  loaded.set(name, known);
  return known;
}
