/** The steps of a run from a repository to an edit: parse, look up, decide, update. */
import type { Advisory } from "../advisories/contract.js";
import type { UpdateDecision, UpdatePolicy } from "../decide/contract.js";
import { propose } from "../decide/propose.js";
import type { Manager, ManagerSettings, ProjectSources, UpdateEdit } from "../managers/contract.js";
import type { Workshop } from "./manager-fixture.js";

export interface Wanting {
  readonly manager: Manager;
  readonly sources: ProjectSources;
  readonly name: string;
  readonly tools: Workshop;
  readonly settings?: ManagerSettings;
  readonly policy?: Partial<UpdatePolicy>;
  readonly advisories?: readonly Advisory[];
}

/** @throws Error for an unknown dependency */
async function decided({
  manager,
  sources,
  name,
  tools,
  settings = { registries: [] },
  policy = {},
  advisories = [],
}: Wanting): Promise<UpdateDecision> {
  const found = manager.parse(sources, settings);
  const dependency = found.dependencies.find((one) => one.name === name);
  if (!dependency) throw new Error(`${name} was not found`);
  return propose({
    ...{ manager, dependency, advisories, runtime: found.runtime },
    library: await manager.isLibrary(found, tools.lookup),
    policy: { lockfileOnly: false, securityOnly: false, ignore: [], ...policy },
    lookup: tools.lookup.fresh(),
    now: 0,
  });
}

/** @throws Error with the reason for no update; UpdatesError as `Manager.update` */
export async function updatedBy(wanting: Wanting): Promise<UpdateEdit> {
  const { manager, sources, settings = { registries: [] }, tools } = wanting;
  const decision = await decided(wanting);
  if (decision.kind === "none") throw new Error(decision.why);
  const read = async (paths: readonly string[]) =>
    new Map(paths.map((path) => [path, sources.files.get(path) ?? ""]));
  return manager.update({ sources, settings, changes: [decision.change] }, { ...tools, read });
}
