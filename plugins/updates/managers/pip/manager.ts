/** Python: requirement files, setup.py and setup.cfg, pyproject.toml of PEP 621, Poetry, PDM and uv, Pipfile, and their lock files. */

import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type { Lookup } from "../../registries/contract.js";
import { decodeJsonBody } from "../../text/json.js";
import { plainText, restyle } from "../../text/restyle.js";
import type {
  FileTexts,
  LockOutcome,
  ParsedProject,
  Release,
  RepositoryPath,
  Tools,
  UpdateRequest,
  VersionChange,
} from "../contract.js";
import { defineManager, type PartialEdit } from "../define.js";
import { combineLocks, editManifests } from "../edit.js";
import {
  exactChange,
  type LockEdit,
  LockFallback,
  refreshLock,
  staleLock,
} from "../lock/refresh.js";
import { within } from "../paths.js";
import { rehashed } from "./lockfile/hashes.js";
import { movedInPipfile } from "./lockfile/pipfile.js";
import { readPythonLocks } from "./lockfile/read.js";
import { movedInPdm, movedInPoetry } from "./lockfile/toml.js";
import { movedInUv } from "./lockfile/uv.js";
import { LOCKS, pipWanted, requirementFiles } from "./manifest/files.js";
import { pipParse } from "./manifest/parse.js";
import { readRequirementsFile } from "./manifest/requirements-file.js";
import { uvLockAbove, uvMembers } from "./manifest/uv-workspace.js";
import { normalizedName } from "./manifest/written-requirement.js";
import { pipAvailable, pipSource } from "./registry.js";
import { assertSameNeeds, bothOf, type PythonMove } from "./resolve.js";
import { byHand, lockedByTool } from "./tool/tool.js";
import { pipRequirement } from "./versions/requirement.js";
import { pipVersioning } from "./versions/versions.js";

export const pip = defineManager({
  id: "pip",
  missing: "Repo must contain a requirements.txt, setup.py, setup.cfg, pyproject.toml, or Pipfile.",
  versioning: pipVersioning,
  filesToRead: pipWanted,
  parse: pipParse,
  normalize: normalizedName,
  available: pipAvailable,
  comparable: ({ current }, { releases }) => {
    const local = localOf(current);
    return releases.filter(
      ({ version }) => pipVersioning.isVersion(version) && localOf(version) === local,
    );
  },
  runs: runsOn,
  isLibrary: async ({ self }, lookup) => self !== undefined && isPublished(self, lookup),
  source: pipSource,
  requirement: ({ requirement }, { version }, strategy) =>
    pipRequirement(requirement, version, strategy),
  update: pipUpdate,
});

/** The local version `+cu118` of `2.0.1+cu118` names a build, which an update keeps. */
function localOf(version = ""): string {
  const start = version.indexOf("+");
  return start < 0 ? "" : version.slice(start).toLowerCase();
}

/** The oldest Python that the project is for will do. */
function runsOn({ runtime }: Release, { python }: ParsedProject["runtime"]): boolean {
  const range = runtime?.python;
  if (python === undefined || range === undefined) return true;
  const oldest = pipVersioning.floor(python);
  // `3.8` means the newest 3.8; `3` means any version.
  const newest = oldest !== undefined && oldest.split(".").length < 3 ? `${oldest}.999` : oldest;
  return (
    newest === undefined ||
    pipVersioning.satisfies(newest, range) ||
    pipVersioning.floor(range) === undefined
  );
}

/** Is the project the package in the index? */
async function isPublished(
  { name, description, origin }: NonNullable<ParsedProject["self"]>,
  lookup: Lookup,
): Promise<boolean> {
  if (origin.kind !== "registry" || description === "") return false;
  try {
    const summary = await lookup.fetch<string>({
      url: `${origin.url.replace(/\/simple$/, "")}/pypi/${name}/json`,
      purpose: "description",
      digest: ({ body }) => {
        const { info } = decodeJsonBody(body) as {
          info?: { summary?: unknown };
        };
        return typeof info?.summary === "string" ? info.summary : "";
      },
    });
    return summary === description;
  } catch (error) {
    if (error instanceof UpdatesError && error.code === "package_unknown") return false;
    throw error;
  }
}

interface Refreshing {
  readonly request: UpdateRequest;
  readonly tools: Tools;
  readonly moves: readonly PythonMove[];
  /** With the new requirements. */
  readonly files: FileTexts;
}

/** @throws UpdatesError `does_not_resolve`, `lock_failed` */
export async function pipUpdate(request: UpdateRequest, tools: Tools): Promise<PartialEdit> {
  const { sources, changes } = request;
  const manifests = new Map(editManifests(sources.files, changes));
  const moves = changes.flatMap(moveOf);
  const outcomes: LockOutcome[] = [];
  for (const file of requirementFiles(sources)) {
    const text = manifests.get(file);
    if (text === undefined) continue;
    try {
      const hashed = await rehashed(file, text, moves, tools.lookup);
      if (hashed === undefined && !readRequirementsFile(file, text).compiled) continue;
      manifests.set(file, hashed ?? text);
      outcomes.push(await asCompiled(file, text, moves, tools));
    } catch (error) {
      if (!(error instanceof LockFallback)) throw error;
      const note = `${file} keeps the hashes of the version before: ${error.message} Put the new ones in.`;
      outcomes.push({ kind: "stale", note });
    }
  }
  const files = new Map([...sources.files, ...manifests]);
  const shared = uvLockAbove(sources);
  if (shared !== undefined) {
    const reason = "it belongs to the whole workspace, which a configuration for its root updates";
    outcomes.push(staleLock(shared, reason, "uv lock"));
  }
  const locks = LOCKS.map((name) => within(sources.directory, name)).filter((file) =>
    files.has(file),
  );
  for (const file of locks) {
    const edit = await refreshFile(file, { request, tools, moves, files });
    for (const [path, text] of edit.files) manifests.set(path, text);
    outcomes.push(edit.lock);
  }
  return { files: manifests, lock: combineLocks(outcomes) };
}

function moveOf({ dependency, to }: VersionChange): readonly PythonMove[] {
  const { name, current, origin } = dependency;
  if (current === undefined || current === to.version || origin.kind !== "registry") return [];
  return [{ name, from: current, to: to.version, index: origin.url }];
}

/** A file of exact versions is a lock file too: it must have everything that the new version needs. */
async function asCompiled(
  file: RepositoryPath,
  text: string,
  moves: readonly PythonMove[],
  tools: Tools,
): Promise<LockOutcome> {
  const { lines, compiled } = readRequirementsFile(file, text);
  const done: LockOutcome = { kind: "refreshed", tier: "in_process", by: "hashes of the index" };
  const pins = new Map(
    lines.map(({ name, requirement }) => [
      normalizedName(name),
      requirement.replace(/^===?\s*/, ""),
    ]),
  );
  try {
    for (const move of moves) {
      if (!pins.has(move.name)) continue;
      const { old, next } = await bothOf(move, tools.lookup);
      assertSameNeeds(move, old, next, pins);
    }
    return done;
  } catch (error) {
    if (!(error instanceof LockFallback)) throw error;
    const how = compiled ? "run `pip-compile`" : "install it once and write down what comes in";
    return {
      kind: "stale",
      note: `${file} may lack what comes with the update: ${error.message} To be sure, ${how}.`,
    };
  }
}

async function refreshFile(file: RepositoryPath, refreshing: Refreshing): Promise<LockEdit> {
  const { request, files, moves, tools } = refreshing;
  const { sources, settings, changes } = request;
  const before = sources.files.get(file) ?? "";
  const plain = plainText(before);
  const manifests = (all: FileTexts): FileTexts =>
    new Map([...all].filter(([path]) => !LOCKS.includes(posix.basename(path))));
  const pins = editManifests(sources.files, changes.map(exact));
  const direct = changes.filter(({ dependency }) => dependency.declarations.length > 0);
  const edit = await refreshLock({
    file,
    inProcess: async () => ({
      text: await moveLocked(file, plain, refreshing),
      by: "the files of the index",
    }),
    byTool: () =>
      lockedByTool({
        ...{ directory: sources.directory, lock: file, moves, settings, tools },
        named: new Set(direct.map(({ dependency }) => dependency.name)),
        files: manifests(files),
        pinned: new Map([...manifests(files), ...pins, [file, plain]]),
      }),
    advice: byHand(file),
  });
  const after = [...edit.files].map(([path, text]) => [path, restyle(before, text)] as const);
  return { ...edit, files: new Map(after.filter(([, text]) => text !== before)) };
}

const exact = exactChange((version, old) => (old === "" ? old : `==${version}`));

/** @throws LockFallback */
function moveLocked(file: RepositoryPath, lock: string, refreshing: Refreshing): Promise<string> {
  const { request, files, moves, tools } = refreshing;
  const { sources, changes } = request;
  const [locked] = readPythonLocks({ ...sources, files: new Map([[file, lock]]) }).locks;
  if (!locked) throw new LockFallback(`${file} cannot be read.`);
  const { versions } = locked;
  const own = moves.filter(({ name }) => versions.has(name));
  const manifest = within(
    sources.directory,
    posix.basename(file) === "Pipfile.lock" ? "Pipfile" : "pyproject.toml",
  );
  const [before, after] = [sources.files.get(manifest) ?? "", files.get(manifest) ?? ""];
  const then = new Map([...versions, ...own.map(({ name, to }) => [name, to] as const)]);
  switch (posix.basename(file)) {
    case "poetry.lock":
      return movedInPoetry({ lock, before, after, versions: then }, own, tools.lookup);
    case "pdm.lock":
      return movedInPdm({ lock, before, after, versions: then }, own, tools.lookup);
    case "uv.lock":
      return movedInUv(
        {
          ...{ lock, versions: then },
          requirements: projectRequirements([manifest, ...uvMembers(sources)], changes),
        },
        own,
        tools.lookup,
      );
    default: {
      const [first] = moves;
      return movedInPipfile(
        { lock, before, after, versions: then, index: first?.index ?? "" },
        own,
        tools.lookup,
      );
    }
  }
}

const projectRequirements = (
  manifests: readonly RepositoryPath[],
  changes: readonly VersionChange[],
) =>
  new Map(
    changes.map(({ dependency, requirements }) => [
      dependency.name,
      dependency.declarations.flatMap(({ file, requirement, section }, index) =>
        manifests.includes(file) && section !== "build-system.requires" && requirement !== ""
          ? [[requirement, requirements[index] ?? requirement] as const]
          : [],
      ),
    ]),
  );
