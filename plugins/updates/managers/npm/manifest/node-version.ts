/** The version of Node in `.nvmrc` and `.node-version`, which counts where `engines.node` is missing. */
import semver from "semver";
import type { ProjectSources } from "../../contract.js";
import { within } from "../../paths.js";

export const NODE_FILES = [".nvmrc", ".node-version"];

/** Of the project's directory, else of the root. Names such as `lts/*` and `node` are no versions. */
export function pinnedNode({ directory, files }: ProjectSources): string | undefined {
  const paths = [directory, "/"].flatMap((folder) =>
    NODE_FILES.map((name) => within(folder, name)),
  );
  const lines = paths.map(
    (path) => files.get(path)?.replace(/#.*/g, "").trim().split(/\s/)[0] ?? "",
  );
  const line = lines.find((text) => text !== "");
  return line !== undefined && /^v?\d/.test(line) && semver.validRange(line) !== null
    ? line.replace(/^v/, "")
    : undefined;
}
