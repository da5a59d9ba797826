/** The images of Dockerfiles, Compose files and Kubernetes objects: one dependency for each image and tag. */
import { posix } from "node:path";
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { declare } from "../../declare.js";
import { configuredUrl } from "../../origin.js";
import { filePaths, insideOf } from "../../paths.js";
import { imagesOfDockerfile } from "./dockerfile.js";
import { type Image, type ImageReference, readImage } from "./image.js";
import { linkSharedTags } from "./shared-tags.js";
import { imagesOfYaml } from "./yaml.js";

const DOCKERFILE = /^(.*[._-])?(docker|container)file([._-].*)?$/i;
const YAML = /^[^.].*\.ya?ml$/i;

export function dockerWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const directory = insideOf(sources.directory) || ".";
  return filePaths(sources).filter(
    (path) =>
      posix.dirname(path) === directory &&
      [DOCKERFILE, YAML].some((name) => name.test(posix.basename(path))),
  );
}

export function dockerParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const found = dockerWanted(sources).flatMap((file) => {
    const text = sources.files.get(file) ?? "";
    const references = readOrReport(file, broken, () => imagesIn(file, text)) ?? [];
    return references.map((reference) => ({ file, text, reference }));
  });
  const dependencies = imageDependencies(found, settings);
  return { dependencies: linkSharedTags(dependencies), runtime: {}, broken };
}

export interface FoundImage {
  readonly file: RepositoryPath;
  /** Of the file. */
  readonly text: string;
  readonly reference: ImageReference;
}

/** One dependency for each image and tag. */
export function imageDependencies(
  found: readonly FoundImage[],
  settings: ManagerSettings,
): readonly Dependency[] {
  const groups = new Map<string, { image: Image; declarations: Declaration[] }>();
  for (const { file, text, reference } of found) {
    const image = readImage(reference.image);
    if (!image) continue;
    const id = [image.name, image.tag ?? "", image.digest ?? ""].join(":").replace(/:+$/, "");
    const group = groups.get(id) ?? { image, declarations: [] };
    groups.set(id, group);
    const { range, section, affixes } = reference;
    declare(group.declarations, {
      ...{ file, range, requirement: text.slice(range.start, range.end), section },
      development: false,
      ...(affixes ? { extra: affixes } : {}),
    });
  }
  return [...groups].map(
    ([id, { image, declarations }]): Dependency => ({
      id,
      name: image.name,
      origin: originOf(image, settings),
      declarations,
      development: false,
      current: image.tag,
      ...(image.digest === undefined ? {} : { extra: { pin: image.digest } }),
    }),
  );
}

const imagesIn = (file: RepositoryPath, text: string): readonly ImageReference[] =>
  DOCKERFILE.test(posix.basename(file)) ? imagesOfDockerfile(text) : imagesOfYaml(file, text);

const HUB = "https://registry-1.docker.io";

function originOf(
  { registry, name, tag, digest }: Image,
  settings: ManagerSettings,
): DependencyOrigin {
  if (tag === undefined)
    return {
      kind: "none",
      why:
        digest === undefined
          ? `${name} has no tag, so any version matches.`
          : `${name} is pinned by its digest alone.`,
    };
  return { kind: "registry", url: imageRegistry(registry, settings) };
}

/** The URL of a registry by its host, undefined for Docker Hub. */
export function imageRegistry(host: string | undefined, settings: ManagerSettings): string {
  const configured = configuredUrl(settings, "docker", (scope) => scope === host);
  if (configured !== undefined) return configured;
  if (host === undefined) return HUB;
  // Docker too uses plain HTTP for a registry on the same machine.
  const isLocal = /^(localhost|127\.0\.0\.\d+)(:|$)/.test(host);
  return `${isLocal ? "http" : "https"}://${host}`;
}
