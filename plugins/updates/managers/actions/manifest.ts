/** The actions that workflows and composite actions use. */
import { posix } from "node:path";
import { isScalar, type Pair, visit } from "yaml";
import { readYaml, scalarText } from "../../text/yaml.js";
import { type BrokenFiles, readOrReport } from "../broken-files.js";
import type {
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { type FoundImage, imageDependencies } from "../docker/manifest/parse.js";
import { configuredUrl } from "../origin.js";
import { filePaths, insideOf } from "../paths.js";
import {
  type FoundReference,
  readReference,
  referenceDependencies,
} from "../references/manifest.js";
import { imagesOfWorkflow } from "./images.js";

const MANIFESTS = [
  /^\.(github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$/,
  /^\.(github|gitea|forgejo)\/actions\/(.+\/)?action\.ya?ml$/,
  /^action\.ya?ml$/,
];

export function actionsWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(sources.directory);
  return filePaths(sources).filter((path) => {
    const inside = root === "" ? path : posix.relative(root, path);
    return MANIFESTS.some((name) => name.test(inside));
  });
}

export function actionsParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const images: FoundImage[] = [];
  const uses = actionsWanted(sources).flatMap((file) => {
    const text = sources.files.get(file);
    if (text === undefined) return [];
    return (
      readOrReport(file, broken, () => {
        for (const reference of imagesOfWorkflow(file, text))
          images.push({ file, text, reference });
        return usesIn(file, text, settings);
      }) ?? []
    );
  });
  const dependencies = referenceDependencies(uses);
  const inContainers = imageDependencies(images, settings);
  return { dependencies: [...dependencies, ...inContainers], runtime: {}, broken };
}

function originOf(
  name: string,
  host: string | undefined,
  settings: ManagerSettings,
): DependencyOrigin {
  const base = host ?? configuredUrl(settings, "host_actions") ?? "https://github.com";
  return { kind: "git", url: `${base}/${name}` };
}

function usesIn(
  file: RepositoryPath,
  text: string,
  settings: ManagerSettings,
): readonly FoundReference[] {
  const uses: FoundReference[] = [];
  visit(readYaml(file, text), {
    Pair: (_key, pair: Pair) => {
      if (!isScalar(pair.key) || pair.key.value !== "uses") return;
      const scalar = scalarText(pair.value, text);
      // Images, and actions in the repository itself, do not fit.
      const [, host, name = "", reference = ""] = USE.exec(scalar?.value ?? "") ?? [];
      if (!scalar || name === "" || scalar.value.startsWith("./")) return;
      const { end } = scalar.range;
      const range = { start: end - reference.length, end };
      const key = `${host ?? ""}${name}`;
      const origin = originOf(name, host, settings);
      uses.push(readReference({ key, name, origin, file, text, range, section: "uses" }));
    },
  });
  return uses;
}

const USE = /^(?:(https?:\/\/[^/]+)\/)?([\w.-]+\/[\w.-]+)(?:\/[^@\s]+)?@([^\s@]+)$/;
