/** The actions that workflows and composite actions use. */
import { posix } from "node:path";
import { isScalar, type Pair, visit } from "yaml";
import { readYaml, scalarText } from "../../text/yaml.js";
import { readTag } from "../../versions/tag.js";
import { type BrokenFiles, readOrReport } from "../broken-files.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { type FoundImage, imageDependencies } from "../docker/manifest/parse.js";
import { isCommit } from "../git-tags.js";
import { configuredUrl } from "../origin.js";
import { filePaths, insideOf } from "../paths.js";
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

interface ActionUse {
  readonly name: string;
  readonly host: string | undefined;
  readonly declaration: Declaration;
  /** The version in the reference or in the comment after it. */
  readonly current: string | undefined;
  readonly commit: string | undefined;
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
        return usesIn(file, text);
      }) ?? []
    );
  });
  const groups = Map.groupBy(
    uses,
    ({ host = "", name, commit, declaration }) =>
      `${host}${name}@${commit ?? declaration.requirement}`,
  );
  const dependencies = [...groups].map(([id, group]): Dependency => {
    const [{ name, host, current, commit, declaration }] = group as [ActionUse, ...ActionUse[]];
    return {
      id,
      name,
      origin:
        current === undefined && commit === undefined
          ? { kind: "none", why: `${name} follows the branch ${declaration.requirement}.` }
          : originOf(name, host, settings),
      declarations: group.map((use) => use.declaration),
      development: false,
      current,
      ...(commit === undefined ? {} : { extra: { commit } }),
    };
  });
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

function usesIn(file: RepositoryPath, text: string): readonly ActionUse[] {
  const uses: ActionUse[] = [];
  visit(readYaml(file, text), {
    Pair: (_key, pair: Pair) => {
      if (!isScalar(pair.key) || pair.key.value !== "uses") return;
      const scalar = scalarText(pair.value, text);
      const use = scalar && readUse(file, text, scalar.value, scalar.range.start);
      if (use) uses.push(use);
    },
  });
  return uses;
}

const USE = /^(?:(https?:\/\/[^/]+)\/)?([\w.-]+\/[\w.-]+)(?:\/[^@\s]+)?@([^\s@]+)$/;

/** Undefined for images and for actions in the repository itself. */
function readUse(
  file: RepositoryPath,
  text: string,
  value: string,
  start: number,
): ActionUse | undefined {
  const [, host, name = "", reference = ""] = USE.exec(value) ?? [];
  if (name === "" || value.startsWith("./")) return undefined;
  const end = start + value.length;
  const declare = (to: number): Declaration => {
    const range = { start: end - reference.length, end: to };
    const requirement = text.slice(range.start, range.end);
    return { file, range, requirement, section: "uses", development: false };
  };
  if (!isCommit(reference)) {
    const current = readTag(reference) ? reference : undefined;
    return { name, host, declaration: declare(end), current, commit: undefined };
  }
  // `@<commit> # v3.1.0`: one edit replaces the commit and the version in the comment.
  const [, between = "", comment] =
    /^(["']?[ \t]+#[ \t]*(?:tag[=:]?[ \t]*)?)(\S+)/.exec(text.slice(end)) ?? [];
  const current = comment !== undefined && readTag(comment) ? comment : undefined;
  const declaration = declare(current === undefined ? end : end + between.length + current.length);
  return { name, host, declaration, current, commit: reference };
}
