/** Finds and reads the requirement files of a Python project. */

import { posix } from "node:path";
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { existing, filePaths, insideOf, within } from "../../paths.js";
import { readPipfile, readPyproject, requirementsNamed } from "./pyproject.js";
import { type RequirementsFile, readRequirementsFile } from "./requirements-file.js";
import { readSetupCfg, readSetupPy, type SetupFile } from "./setup-files.js";
import { uvMembers, uvRoots } from "./uv-workspace.js";
import type { WrittenRequirement } from "./written-requirement.js";

export interface Manifest {
  readonly file: RepositoryPath;
  readonly written: readonly WrittenRequirement[];
  readonly name: string | undefined;
  readonly description: string;
  /** The supported Python versions: `>=3.8`. */
  readonly python: string | undefined;
  /** Name → address. */
  readonly indexes: ReadonlyMap<string, string>;
  /** The index of what names none. */
  readonly usual: string | undefined;
}

const FIXED = ["setup.py", "setup.cfg", "pyproject.toml", "Pipfile", ".python-version"];
export const LOCKS = ["Pipfile.lock", "poetry.lock", "uv.lock", "pdm.lock"];
const REQUIREMENTS =
  /(^|\/)[\w.-]*(requirements|constraints)[\w.-]*\.(txt|in|pip)$|^requirements\/[\w.-]+\.(txt|in|pip)$/i;

/** Requirement files: by their names, and those that others name. */
export function requirementFiles(sources: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(sources.directory);
  const named = filePaths(sources).filter((path) => {
    const inside = root === "" ? path : posix.relative(root, path);
    if (inside.startsWith("..") || inside.split("/").length > 2) return false;
    const folder = posix.dirname(inside);
    return (folder === "." || folder === "requirements") && REQUIREMENTS.test(inside);
  });
  const queue = [...new Set([...named, ...existing(sources, dynamicFiles(sources))])];
  const found = new Set(queue);
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    for (const next of existing(sources, requirementsAt(sources, file, text).includes))
      if (!found.has(next)) {
        found.add(next);
        queue.push(next);
      }
  }
  return [...found].sort();
}

function dynamicFiles(sources: ProjectSources): readonly RepositoryPath[] {
  const file = within(sources.directory, "pyproject.toml");
  const text = sources.files.get(file);
  try {
    const named = text === undefined ? [] : requirementsNamed(file, text);
    return named.map((name) => within(sources.directory, posix.normalize(name)));
  } catch {
    // Errors are reported where the file itself is read.
    return [];
  }
}

export function pipWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const fixed = existing(
    sources,
    [...FIXED, ...LOCKS].map((name) => within(sources.directory, name)),
  );
  const all = [...new Set([...fixed, ...requirementFiles(sources)])];
  const manifests = all.filter(
    (path) => !LOCKS.includes(posix.basename(path)) && posix.basename(path) !== ".python-version",
  );
  if (manifests.length === 0) return [];
  return existing(sources, [...new Set([...all, ...uvMembers(sources), ...uvRoots(sources)])]);
}

/** Each file is parsed once and cached. */
const read = new WeakMap<
  ProjectSources["files"],
  Map<RepositoryPath, RequirementsFile & { readonly text: string }>
>();

function requirementsAt(
  { files }: ProjectSources,
  file: RepositoryPath,
  text: string,
): RequirementsFile {
  const known = read.get(files) ?? new Map();
  read.set(files, known);
  const before = known.get(file);
  if (before?.text === text) return before;
  const now = { ...readRequirementsFile(file, text), text };
  known.set(file, now);
  return now;
}

/** All readable manifests, and errors for the others. */
export function readManifests(sources: ProjectSources): {
  readonly manifests: readonly Manifest[];
  readonly broken: readonly { readonly file: RepositoryPath; readonly why: string }[];
} {
  const manifests: Manifest[] = [];
  const broken: BrokenFiles = [];
  const readers: ReadonlyArray<readonly [name: string, read: Reader]> = [
    ["pyproject.toml", readPyproject],
    ["Pipfile", readPipfile],
    ["setup.cfg", (_file, text) => asManifest(readSetupCfg(text))],
    ["setup.py", (_file, text) => asManifest(readSetupPy(text))],
  ];
  const tables = [
    ...readers.map(([name, reader]) => [within(sources.directory, name), reader] as const),
    ...uvMembers(sources).map((file) => [file, readPyproject] as const),
  ];
  for (const [file, reader] of tables) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    const manifest = readOrReport(file, broken, () => reader(file, text));
    if (manifest) manifests.push({ file, ...manifest });
  }
  for (const file of requirementFiles(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    const { lines, index } = requirementsAt(sources, file, text);
    manifests.push({ file, written: lines, ...UNNAMED, indexes: new Map(), usual: index });
  }
  return { manifests, broken };
}

type Reader = (file: string, text: string) => Omit<Manifest, "file">;

const UNNAMED = { name: undefined, description: "", python: undefined };

const asManifest = ({
  written,
  name,
  description = "",
  python,
}: SetupFile): Omit<Manifest, "file"> => ({
  ...{ written, name, description, python },
  indexes: new Map(),
  usual: undefined,
});
