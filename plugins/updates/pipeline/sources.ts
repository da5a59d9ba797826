/** Reads the files that a package manager needs at one commit. */

import { errorMessage, UpdatesError } from "../errors.js";
import type { GitTreeEntry as GitEntry, Repository } from "../git/repository.js";
import type {
  FileTexts,
  Manager,
  ManagerSettings,
  ProjectSources,
  SourceEntry,
} from "../managers/contract.js";
import { textOf } from "../text/text.js";

export interface ReadSources {
  readonly sources: ProjectSources;
  /** Whether the manager found a manifest. */
  readonly present: boolean;
  /** Files that are not text, one sentence each. */
  readonly unreadable: readonly string[];
}

/** Files may refer to files; no manifest needs more rounds. */
const mostRounds = 20;
const mostFiles = 5_000;

interface ProjectLocation {
  readonly directory: string;
  readonly url: string;
  readonly settings: ManagerSettings;
}

export async function readSources(
  repository: Repository,
  commit: string,
  manager: Manager,
  { directory, url, settings }: ProjectLocation,
): Promise<ReadSources> {
  const tree = (await repository.tree(commit)).map(asTreeEntry);
  const files = new Map<string, string>();
  const tried = new Set<string>();
  const unreadable: string[] = [];
  for (let round = 0; round < mostRounds; round += 1) {
    const wanted = manager
      .filesToRead({ directory, url, tree, files }, settings)
      .filter((path) => !tried.has(path));
    if (wanted.length === 0) break;
    if (tried.size + wanted.length > mostFiles) {
      throw new UpdatesError(
        "manifest_broken",
        `More than ${mostFiles} manifests below ${directory}.`,
      );
    }
    const contents = await Promise.all(wanted.map((path) => repository.read(commit, path)));
    for (const [index, path] of wanted.entries()) {
      tried.add(path);
      const content = contents[index];
      if (!content) continue;
      try {
        files.set(path, textOf(path, content));
      } catch (thrown) {
        unreadable.push(errorMessage(thrown));
      }
    }
  }
  const sources: ProjectSources = { directory, url, tree, files: files as FileTexts };
  return { sources, present: tried.size > 0, unreadable };
}

const kinds: Readonly<Record<string, SourceEntry["kind"]>> = {
  "100755": "executable",
  "120000": "link",
  "160000": "submodule",
};

const asTreeEntry = ({ path, mode, sha }: GitEntry): SourceEntry => ({
  path,
  kind: kinds[mode] ?? "file",
  oid: sha,
});

/** The texts of files at a commit, without missing and binary files. */
export async function readTexts(
  repository: Repository,
  commit: string,
  paths: readonly string[],
): Promise<FileTexts> {
  const files = new Map<string, string>();
  for (const path of paths) {
    const content = await repository.read(commit, path);
    if (content) files.set(path, new TextDecoder("utf-8", { ignoreBOM: true }).decode(content));
  }
  return files;
}
