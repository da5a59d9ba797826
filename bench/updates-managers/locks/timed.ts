/** How long Reeve takes to move one dependency and its lock file, with a look-up that has asked nothing before. */

import type { Manager, ManagerSettings } from "../../../plugins/updates/managers/contract.js";
import { createLookup } from "../../../plugins/updates/registries/lookup.js";

export interface TimedUpdate {
  readonly manager: Manager;
  readonly project: Readonly<Record<string, string>>;
  readonly name: string;
  readonly to: string;
  readonly settings?: ManagerSettings;
}

/** @throws Error where the lock file was not refreshed in process */
export async function timedUpdate({
  manager,
  project,
  name,
  to: version,
  settings = { registries: [] },
}: TimedUpdate): Promise<{
  readonly milliseconds: number;
  readonly files: ReadonlyMap<string, string>;
}> {
  const refuse = (): Promise<never> => Promise.reject(new Error("nothing is run"));
  const sources = {
    directory: "/",
    tree: Object.keys(project).map((path) => ({ path, kind: "file" as const, oid: "" })),
    files: new Map(Object.entries(project)),
  };
  const { dependencies } = manager.parse(sources, settings);
  const dependency = dependencies.find((one) => one.name === name);
  if (!dependency) throw new Error(`${name} was not found`);
  const to = { version };
  const requirements = dependency.declarations.map((one) =>
    manager.requirement(one, to, "bump_versions"),
  );
  const started = performance.now();
  const { lock, files } = await manager.update(
    { sources, settings, changes: [{ dependency, to, requirements }] },
    {
      ...{ run: refuse, scratch: "/nonexistent", credentials: [] },
      lookup: createLookup({ clock: { now: Date.now, sleep: async () => undefined } }),
      workers: { refresh: refuse, fetchTool: refuse, close: async () => undefined },
    },
  );
  const milliseconds = performance.now() - started;
  if (lock.kind !== "refreshed" || lock.tier !== "in_process")
    throw new Error(`the lock file is ${lock.kind}`);
  return { milliseconds, files };
}
