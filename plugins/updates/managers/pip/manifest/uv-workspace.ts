/** Workspaces of uv: the root's patterns name members, which share the root's lock file. */
import { matchesGlob, posix } from "node:path";
import { readToml, tomlAt, tomlTexts } from "../../../text/toml.js";
import type { ProjectSources, RepositoryPath } from "../../contract.js";
import { insideOf, within } from "../../paths.js";

const PROJECT = "pyproject.toml";

/** `packages/a/pyproject.toml` of every member, without the root. */
export function uvMembers(sources: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(sources.directory);
  const text = sources.files.get(within(sources.directory, PROJECT));
  if (text === undefined || !text.includes("workspace")) return [];
  const [members, exclude] = patterns(text);
  return sources.tree
    .filter(({ path, kind }) => kind === "file" && posix.basename(path) === PROJECT)
    .map(({ path }) => path)
    .filter((path) => {
      const directory = posix.relative(root, posix.dirname(path));
      if (directory === "" || directory.startsWith("..")) return false;
      const fits = (glob: string): boolean => matchesGlob(directory, clean(glob));
      return members.some(fits) && !exclude.some(fits);
    });
}

function patterns(text: string): readonly [readonly string[], readonly string[]] {
  try {
    const workspace = tomlAt(readToml(PROJECT, text), "tool", "uv", "workspace");
    return [tomlTexts(workspace, "members"), tomlTexts(workspace, "exclude")];
  } catch {
    // Errors are reported where the file itself is read.
    return [[], []];
  }
}

const clean = (glob: string): string => posix.normalize(glob).replace(/\/+$/, "");

/** Parent directories, nearest first. */
const above = ({ directory }: ProjectSources): readonly string[] => {
  const parts = insideOf(directory).split("/").filter(Boolean);
  return parts.map((_, depth) => `/${parts.slice(0, depth).join("/")}`).reverse();
};

/** The files that define a workspace. */
export const uvRoots = (sources: ProjectSources): readonly RepositoryPath[] =>
  above(sources).map((directory) => within(directory, PROJECT));

/** The lock file of the workspace that the directory is a member of. */
export function uvLockAbove(sources: ProjectSources): RepositoryPath | undefined {
  const own = within(sources.directory, PROJECT);
  const root = above(sources).find((directory) =>
    uvMembers({ ...sources, directory }).includes(own),
  );
  const lock = root === undefined ? undefined : within(root, "uv.lock");
  return sources.tree.some(({ path }) => path === lock) ? lock : undefined;
}
