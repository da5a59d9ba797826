/** The image and the features of `devcontainer.json`. */
import { posix } from "node:path";
import { readJson } from "../../text/json.js";
import type { TextRange } from "../../text/text.js";
import { type BrokenFiles, readOrReport } from "../broken-files.js";
import type {
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { readImage, tagRange } from "../docker/manifest/image.js";
import { type FoundImage, imageDependencies } from "../docker/manifest/parse.js";
import { filePaths, insideOf } from "../paths.js";
import { lockedFeatures } from "./lockfile.js";

const MANIFEST = /^(\.devcontainer\/([^/]+\/)?devcontainer\.json|\.devcontainer\.json)$/;

function manifests(sources: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(sources.directory);
  return filePaths(sources).filter((path) =>
    MANIFEST.test(root === "" ? path : posix.relative(root, path)),
  );
}

/** Beside it, hidden if it is. */
const lockFileOf = (manifest: RepositoryPath): RepositoryPath =>
  manifest.replace(/devcontainer\.json$/, "devcontainer-lock.json");

export function devcontainersWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const found = manifests(sources);
  const locks = new Set(found.map(lockFileOf));
  return [...found, ...filePaths(sources).filter((path) => locks.has(path))];
}

export function devcontainersParse(
  sources: ProjectSources,
  settings: ManagerSettings,
): ParsedProject {
  const broken: BrokenFiles = [];
  const unlocked: FoundImage[] = [];
  const locked: Dependency[] = [];
  for (const file of manifests(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    const lockFile = lockFileOf(file);
    const lock = sources.files.get(lockFile);
    const versions =
      lock === undefined
        ? undefined
        : readOrReport(lockFile, broken, () => lockedFeatures(lockFile, lock));
    for (const found of readOrReport(file, broken, () => imagesIn(file, text)) ?? []) {
      const { image, section } = found.reference;
      const version = section === "features" ? versions?.get(image) : undefined;
      const [dependency] = version === undefined ? [] : imageDependencies([found], settings);
      if (dependency === undefined) unlocked.push(found);
      else
        locked.push({
          ...dependency,
          id: `${dependency.id} in ${file}`,
          current: version,
          lockedBy: lockFile,
          extra: { ...dependency.extra, key: image, written: image.replace(/:[^:/]*$/, "") },
        });
    }
  }
  return {
    dependencies: [...imageDependencies(unlocked, settings), ...locked],
    runtime: {},
    broken,
  };
}

/** @throws UpdatesError `manifest_unreadable` */
function imagesIn(file: RepositoryPath, text: string): readonly FoundImage[] {
  const document = readJson(file, text, { comments: true });
  const image = document.texts().find(({ key }) => key === "image");
  const features = document.keyTexts("features").filter(({ value }) => isPublished(value));
  return [
    ...(image ? [{ ...image, section: "image" }] : []),
    ...features.map((feature) => ({ ...feature, section: "features" })),
  ].flatMap(({ value, range, section }) => {
    // With an escape, text and value differ.
    if (!readImage(value) || !isLiteral(text, range, value)) return [];
    const reference = { image: value, range: tagRange(value, range.start), section };
    return [{ file, text, reference }];
  });
}

const isLiteral = (text: string, { start, end }: TextRange, value: string): boolean =>
  text.slice(start, end) === value;

/** In a registry: local features start with a dot, archives with a scheme, and old names have no host. */
const isPublished = (feature: string): boolean =>
  /^[^./:@]+[.:][^/]*\/[^/]/.test(feature) && !/:\/\//.test(feature);
