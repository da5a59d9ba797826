/** The images, projects and components of a pipeline. */
import { isMap } from "yaml";
import { scalarText } from "../../../text/yaml.js";
import { readTag } from "../../../versions/tag.js";
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { type FoundImage, imageDependencies } from "../../docker/manifest/parse.js";
import { linkSharedTags } from "../../docker/manifest/shared-tags.js";
import { isCommit } from "../../git-tags.js";
import { configuredUrl } from "../../origin.js";
import {
  type FoundReference,
  readReference,
  referenceDependencies,
} from "../../references/manifest.js";
import { repositoryAddress } from "../../source.js";
import { gitlabWanted, includesOf, mapsOf } from "./files.js";
import { imagesOfPipeline } from "./images.js";

export function gitlabParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const images: FoundImage[] = [];
  const references: FoundReference[] = [];
  const server = serverOf(sources, settings);
  for (const file of gitlabWanted(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    for (const root of readOrReport(file, broken, () => mapsOf(file, text)) ?? []) {
      for (const reference of imagesOfPipeline(root, text, settings))
        images.push({ file, text, reference });
      for (const item of includesOf(root))
        references.push(...referencesOf(item, { file, text, server }));
    }
  }
  const dependencies = [
    ...referenceDependencies(references),
    ...linkSharedTags(imageDependencies(images, settings)),
  ];
  return { dependencies, runtime: {}, broken };
}

/** The GitLab that has the repository: other projects are on it too. */
function serverOf({ url = "" }: ProjectSources, settings: ManagerSettings): string {
  const configured = configuredUrl(settings, "gitlab_ci");
  if (configured !== undefined) return configured;
  const address = /:\/\/|^[\w.-]+@/.test(url) ? repositoryAddress(url) : undefined;
  const own = address === undefined ? undefined : new URL(address).origin;
  return own === undefined || own === "https://github.com" ? "https://gitlab.com" : own;
}

interface Context {
  readonly file: RepositoryPath;
  readonly text: string;
  /** `https://gitlab.com`. */
  readonly server: string;
}

function referencesOf(item: unknown, { file, text, server }: Context): readonly FoundReference[] {
  if (!isMap(item)) return [];
  const project = item.get("project");
  const ref = scalarText(item.get("ref", true), text);
  if (typeof project === "string" && ref) {
    const name = project.replace(/^\/+|\/+$|\.git$/g, "");
    const key = `${server}/${name}`;
    const origin = originOf(name, key);
    const { range } = ref;
    return [readReference({ key, name, origin, file, text, range, section: "include" })];
  }
  const component = scalarText(item.get("component", true), text);
  if (!component) return [];
  const [, host = "", path = "", version = ""] =
    /^(\$\{?\w+\}?|[^/$@]+)\/([^@]+)\/[^/@]+@([^@]+)$/.exec(component.value) ?? [];
  if (path === "") return [];
  const isOwn = /^\$\{?CI_SERVER_(FQDN|HOST)\}?$/.test(host) || `https://${host}` === server;
  const key = `${isOwn ? server : `https://${host}`}/${path}`;
  const name = isOwn ? path : `${host}/${path}`;
  const { end } = component.range;
  const range = { start: end - version.length, end };
  const origin = isRange(version)
    ? ({ kind: "none", why: `${name} follows the newest version of ${version}.` } as const)
    : originOf(path, key);
  return [readReference({ key, name, origin, file, text, range, section: "component" })];
}

/** `@1`, `@1.2` and `@~latest` are the newest version in them. */
const isRange = (version: string): boolean =>
  version === "~latest" || (!isCommit(version) && (readTag(version)?.numbers.length ?? 3) < 3);

const originOf = (name: string, url: string): DependencyOrigin =>
  url.includes("$")
    ? { kind: "none", why: `${name} has a variable in its path.` }
    : { kind: "git", url };
