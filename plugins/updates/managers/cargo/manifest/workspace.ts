/** Finds the manifests of a workspace: the root, its members and their path dependencies. */
import { matchesGlob, posix } from "node:path";
import type { FileTexts, ProjectSources, RepositoryPath } from "../../contract.js";
import { existing, insideOf, within } from "../../paths.js";
import { type CargoManifest, readCargoManifest } from "./cargo-toml.js";

interface Read {
  readonly text: string;
  readonly manifest: CargoManifest | undefined;
}
/** Each manifest is parsed once and cached. */
const read = new WeakMap<FileTexts, Map<RepositoryPath, Read>>();

/** Undefined where it was not read or cannot be read. */
export function manifestAt(
  { files }: ProjectSources,
  file: RepositoryPath,
): CargoManifest | undefined {
  const text = files.get(file);
  if (text === undefined) return undefined;
  const known = read.get(files) ?? new Map<RepositoryPath, Read>();
  read.set(files, known);
  const before = known.get(file);
  if (before?.text === text) return before.manifest;
  const manifest = readable(file, text);
  known.set(file, { text, manifest });
  return manifest;
}

function readable(file: RepositoryPath, text: string): CargoManifest | undefined {
  try {
    return readCargoManifest(file, text);
  } catch {
    return undefined;
  }
}

/** Members in the tree: `crates/a/Cargo.toml`. The root is not included. */
export function memberManifests(sources: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(sources.directory);
  const first = within(sources.directory, "Cargo.toml");
  const manifest = manifestAt(sources, first);
  const { members = [], exclude = [] } = manifest?.workspace ?? {};
  const paths = sources.tree
    .filter(({ path, kind }) => kind === "file" && posix.basename(path) === "Cargo.toml")
    .map(({ path }) => path);
  const all = new Set(paths);
  const excluded = (file: RepositoryPath): boolean => {
    const directory = posix.relative(root, posix.dirname(file));
    return exclude.some(
      (one) => directory === clean(one) || directory.startsWith(`${clean(one)}/`),
    );
  };
  const named = paths.filter((file) => {
    const directory = posix.relative(root, posix.dirname(file));
    if (directory === "" || directory.startsWith("..")) return false;
    return members.some((glob) => matchesGlob(directory, clean(glob))) && !excluded(file);
  });
  // Path dependencies of members inside the root are members too.
  const found = new Set<RepositoryPath>(named);
  const queue = [first, ...named];
  for (let file = queue.shift(); file !== undefined; file = queue.shift()) {
    const { dependencies = [], shared = [] } = manifestAt(sources, file) ?? {};
    for (const { path } of [...dependencies, ...shared]) {
      if (path === undefined) continue;
      const next = posix.join(posix.dirname(file), path, "Cargo.toml");
      if (next === first || !all.has(next) || found.has(next) || excluded(next)) continue;
      found.add(next);
      queue.push(next);
    }
  }
  return [...found].sort();
}

/** Manifests of all local packages of the workspace, members or not, as Cargo needs them. */
export function localManifests(sources: ProjectSources): readonly RepositoryPath[] {
  const there = new Set(sources.tree.map(({ path }) => path));
  const first = within(sources.directory, "Cargo.toml");
  const found = new Set([first, ...memberManifests(sources)]);
  for (const file of found) {
    const { dependencies = [], shared = [], patched = [] } = manifestAt(sources, file) ?? {};
    for (const { path } of [...dependencies, ...shared, ...patched]) {
      if (path === undefined) continue;
      const next = posix.join(posix.dirname(file), path, "Cargo.toml");
      if (there.has(next)) found.add(next);
    }
  }
  return [...found];
}

const clean = (glob: string): string => posix.normalize(glob).replace(/\/+$/, "");

/** Parent directories with a Cargo.toml, nearest first. */
const above = ({ directory, tree }: ProjectSources): readonly string[] => {
  const paths = new Set(tree.map(({ path }) => path));
  const parts = insideOf(directory).split("/").filter(Boolean);
  return parts
    .map((_, depth) => parts.slice(0, depth).join("/"))
    .reverse()
    .filter((folder) => paths.has(posix.join(folder, "Cargo.toml")));
};

/** The sources relative to the root of the workspace; unchanged outside one. */
export function atRoot(sources: ProjectSources): ProjectSources {
  const own = within(sources.directory, "Cargo.toml");
  if (manifestAt(sources, own)?.workspace) return sources;
  for (const folder of above(sources)) {
    const root = { ...sources, directory: `/${folder}` };
    if (!manifestAt(root, within(root.directory, "Cargo.toml"))?.workspace) continue;
    return memberManifests(root).includes(own) ? root : sources;
  }
  return sources;
}

const CONFIGS = [".cargo/config.toml", ".cargo/config"];

export function cargoWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const own = existing(sources, [within(sources.directory, "Cargo.toml")]);
  if (own.length === 0) return [];
  const root = atRoot(sources);
  const manifests = [...own, ...above(sources).map((folder) => posix.join(folder, "Cargo.toml"))];
  const beside = ["Cargo.lock", ...CONFIGS].map((name) => within(root.directory, name));
  return existing(sources, [...new Set([...manifests, ...beside, ...localManifests(root)])]);
}

export const configsOf = ({ directory, files }: ProjectSources): readonly [string, string][] =>
  CONFIGS.flatMap((name): [string, string][] => {
    const file = within(directory, name);
    const text = files.get(file);
    return text === undefined ? [] : [[file, text]];
  });
