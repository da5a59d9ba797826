/** Cargo: Cargo.toml, workspaces, Cargo.lock. */
import { plainText, restyle } from "../../text/restyle.js";
import type { ProjectSources, Tools, UpdateRequest, VersionChange } from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { editManifests } from "../edit.js";
import { LockFallback, refreshLock } from "../lock/refresh.js";
import { type CargoLock, readCargoLock, writeCargoLock } from "./lockfile.js";
import { byNumbers, cargoLockFile, cargoParse } from "./manifest/parse.js";
import { atRoot, cargoWanted, localManifests, manifestAt } from "./manifest/workspace.js";
import { cargoAvailable, cargoRegistries, cargoSource, type Registries } from "./registry.js";
import { type CrateMove, moveCrate, type ResolveContext } from "./resolve.js";
import { lockedByCargo } from "./tool.js";
import { cargoRequirement, cargoVersioning } from "./versions.js";

export const cargo = defineManager({
  id: "cargo",
  missing: "Repo must contain a Cargo.toml.",
  versioning: cargoVersioning,
  filesToRead: cargoWanted,
  parse: cargoParse,
  available: cargoAvailable,
  // The oldest Rust that the project names is new enough.
  runs: ({ runtime }, { rust }) =>
    rust === undefined || runtime?.rust === undefined || byNumbers(runtime.rust, rust) <= 0,
  strategy: () => "bump_versions_if_necessary",
  source: cargoSource,
  requirement: ({ requirement }, { version }, strategy) =>
    cargoRequirement(requirement, version, strategy),
  update: cargoUpdate,
});

/** @throws UpdatesError `does_not_resolve`, `lock_failed` */
async function cargoUpdate(request: UpdateRequest, tools: Tools): Promise<PartialEdit> {
  const { changes, settings } = request;
  const sources = atRoot(request.sources);
  const manifests = editManifests(sources.files, changes);
  const files = new Map([...sources.files, ...manifests]);
  const file = cargoLockFile(sources);
  const before = sources.files.get(file);
  if (before === undefined) return { files: manifests };

  const moves = changes.flatMap(moveOf);
  const registries = cargoRegistries(sources, settings);
  const { vendored } = registries;
  if (vendored !== undefined) {
    const note = `${file} is not refreshed: crates are taken from ${vendored}. Run \`cargo update\` and \`cargo vendor\`.`;
    return { files: manifests, lock: { kind: "stale", note } };
  }
  const text = plainText(before);
  const refreshed = await refreshLock({
    file,
    inProcess: async () => ({
      text: await moveLocked(text, moves, resolveContext({ ...sources, files }, registries, tools)),
      by: "the locked graph",
    }),
    byTool: () =>
      lockedByCargo({
        ...{ sources, files: new Map([...files, [file, text]]), lock: file },
        ...{ moves, registries, tools },
      }),
    advice: `cargo update ${moves.map(({ name }) => `-p ${name}`).join(" ")}`,
  });
  const after = refreshed.files.get(file);
  const isChanged = after !== undefined && restyle(before, after) !== before;
  return {
    files: isChanged ? new Map([...manifests, [file, restyle(before, after)]]) : manifests,
    lock: refreshed.lock,
  };
}

function moveOf({ dependency, to }: VersionChange): readonly CrateMove[] {
  const { name, current } = dependency;
  if (current === undefined || current === to.version) return [];
  return [{ name, from: current, to: to.version }];
}

/** @throws LockFallback */
async function moveLocked(
  text: string,
  moves: readonly CrateMove[],
  context: ResolveContext,
): Promise<string> {
  let lock: CargoLock;
  try {
    lock = readCargoLock(text);
  } catch (error) {
    throw new LockFallback(
      `Cargo.lock cannot be read: ${(error as Error).message.split("\n")[0]}.`,
    );
  }
  // Only a lock that is written back unchanged is understood well enough.
  if (writeCargoLock(lock) !== text)
    throw new LockFallback("Cargo.lock is of a format that only Cargo itself writes.");
  for (const move of moves) lock = await moveCrate(lock, move, context);
  return writeCargoLock(lock);
}

function resolveContext(
  sources: ProjectSources,
  registries: Registries,
  { lookup }: Tools,
): ResolveContext {
  const manifests = localManifests(sources).flatMap((file) => manifestAt(sources, file) ?? []);
  const shared = new Map(manifests.flatMap((each) => each.shared).map((each) => [each.key, each]));
  return {
    lookup,
    ofSource: registries.ofSource,
    required: (member, name) => {
      const manifest = manifests.find((each) => each.package === member);
      return manifest?.dependencies
        .map((each) => (each.inherited ? shared.get(each.key) : each))
        .filter((each) => each?.name === name)
        .map((each) => each?.requirement?.text ?? "*");
    },
  };
}
