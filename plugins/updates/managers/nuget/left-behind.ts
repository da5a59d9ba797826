/** What `packages.config` does not say alone: projects beside it name the directories that packages are unpacked to. */
import { posix } from "node:path";
import type { ProjectSources, VersionChange } from "../contract.js";
import { isProject } from "./files.js";

/** A sentence for what is not changed along, as what a new version has in its directory is not known here. */
export function unpackedDirectoryNote(
  { files }: ProjectSources,
  changes: readonly VersionChange[],
): string | undefined {
  for (const { dependency } of changes)
    for (const { file, requirement, section } of dependency.declarations) {
      if (section !== "packages") continue;
      const directory = `\\${dependency.name}.${requirement}\\`.toLowerCase();
      for (const [path, text] of files)
        if (
          isProject(path) &&
          posix.dirname(path) === posix.dirname(file) &&
          text.replaceAll("/", "\\").toLowerCase().includes(directory)
        )
          return `${path} names the directory of ${dependency.name} ${requirement}, which has to change as well: run \`nuget update ${file}\`.`;
    }
  return undefined;
}
