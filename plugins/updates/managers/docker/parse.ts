/** From Dockerfiles, Compose files and Kubernetes objects to images: one dependency for each image and tag. */
import { posix } from "node:path";
import { UpdatesError } from "../../errors.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { insideOf } from "../paths.js";
import { imagesOfDockerfile } from "./dockerfile.js";
import { type Image, readImage } from "./image.js";
import { imagesOfYaml } from "./manifests.js";
import type { ImagePlace } from "./places.js";
import { sharing } from "./sharing.js";

const DOCKERFILE = /^(.*[._-])?(docker|container)file([._-].*)?$/i;
const YAML = /^[^.].*\.ya?ml$/i;

export function dockerWanted({ directory, tree }: ProjectSources): readonly RepositoryPath[] {
  const inside = insideOf(directory) || ".";
  return tree
    .filter(
      ({ path, kind }) =>
        (kind === "file" || kind === "executable") && posix.dirname(path) === inside,
    )
    .map(({ path }) => path)
    .filter((path) => [DOCKERFILE, YAML].some((name) => name.test(posix.basename(path))));
}

export function dockerParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: { file: string; why: string }[] = [];
  const groups = new Map<string, { image: Image; declarations: Declaration[] }>();
  for (const file of dockerWanted(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    try {
      for (const place of imagesIn(file, text)) add(file, text, place);
    } catch (error) {
      if (!(error instanceof UpdatesError)) throw error;
      broken.push({ file, why: error.message });
    }
  }
  const dependencies = [...groups].map(
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
  return { dependencies: sharing(dependencies), runtime: {}, broken };

  function add(
    file: RepositoryPath,
    text: string,
    { image: written, range, section, around }: ImagePlace,
  ): void {
    const image = readImage(written);
    if (!image) return;
    const id = [image.name, image.tag ?? "", image.digest ?? ""].join(":").replace(/:+$/, "");
    const group = groups.get(id) ?? { image, declarations: [] };
    const requirement = text.slice(range.start, range.end);
    // Two stages on one image by one argument.
    const isKnown = group.declarations.some(
      (one) => one.file === file && one.range.start === range.start,
    );
    if (isKnown) return;
    group.declarations.push({
      ...{ file, range, requirement, section, development: false },
      ...(around ? { extra: around } : {}),
    });
    groups.set(id, group);
  }
}

const imagesIn = (file: RepositoryPath, text: string): readonly ImagePlace[] =>
  DOCKERFILE.test(posix.basename(file)) ? imagesOfDockerfile(text) : imagesOfYaml(file, text);

const HUB = "https://registry-1.docker.io";

function originOf(
  { registry, name, tag, digest }: Image,
  { registries }: ManagerSettings,
): DependencyOrigin {
  if (tag === undefined)
    return {
      kind: "none",
      why:
        digest === undefined
          ? `${name} has no tag, so any version will do.`
          : `${name} is pinned by its digest alone.`,
    };
  const own = registries.filter(({ manager }) => manager === "docker");
  const configured = own.find(({ scope }) => scope === registry)?.url;
  if (configured !== undefined) return { kind: "registry", url: configured.replace(/\/+$/, "") };
  if (registry === undefined) return { kind: "registry", url: HUB };
  // As Docker itself: a registry on this machine needs no certificate.
  const local = /^(localhost|127\.0\.0\.\d+)(:|$)/.test(registry);
  return { kind: "registry", url: `${local ? "http" : "https"}://${registry}` };
}
