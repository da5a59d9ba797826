/** What most package managers have in common, so that each writes down only what differs. */
import type { Manager, Tools, UpdateEdit, UpdateRequest } from "./contract.js";
import { editManifests } from "./edit.js";

/** Left out: no submodules, no lock file. */
export type PartialEdit = Optional<UpdateEdit, "submodules" | "lock">;

type Optional<Type, Key extends keyof Type> = Omit<Type, Key> & Partial<Pick<Type, Key>>;

export interface ManagerDefinition
  extends Optional<
    Omit<Manager, "update">,
    "normalize" | "comparable" | "runs" | "isLibrary" | "strategy" | "pinned" | "requirement"
  > {
  update?(request: UpdateRequest, tools: Tools): Promise<PartialEdit>;
}

/**
 * Defaults: names are trimmed; all valid versions compare; every release runs; a project that is published (`self`) is a library;
 * requirements of libraries are widened, others bumped; nothing is pinned; a requirement is a version; no lock file.
 */
export function defineManager(definition: ManagerDefinition): Manager {
  const { versioning } = definition;
  const update = definition.update ?? editOnly;
  return {
    normalize: (name) => name.trim(),
    comparable: (_dependency, { releases }) =>
      releases.filter(({ version }) => versioning.isVersion(version)),
    runs: () => true,
    isLibrary: async ({ self }) => self !== undefined,
    strategy: (library) => (library ? "widen_ranges" : "bump_versions"),
    pinned: async (_dependency, release) => release,
    ...definition,
    requirement: (declaration, to, strategy) =>
      strategy === "lockfile_only"
        ? declaration.requirement
        : (definition.requirement?.(declaration, to, strategy) ?? to.version),
    update: async (request, tools) => ({
      submodules: new Map(),
      lock: { kind: "absent" },
      ...(await update(request, tools)),
    }),
  };
}

const editOnly = async ({ sources, changes }: UpdateRequest) => ({
  files: editManifests(sources.files, changes),
});
