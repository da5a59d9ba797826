/** Which actions workflows and composite actions use. */
import { posix } from "node:path";
import { isScalar, type Pair, visit } from "yaml";
import { UpdatesError } from "../../errors.js";
import { readYaml, scalarText } from "../../text/yaml.js";
import { readTag } from "../../versions/tag.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { isCommit } from "../git-tags.js";
import { insideOf } from "../paths.js";

const WORKFLOW = /^\.(github|gitea|forgejo)\/workflows\/[^/]+\.ya?ml$/;
const SHARED = /^\.(github|gitea|forgejo)\/actions\/(.+\/)?action\.ya?ml$/;
const ACTION = /^action\.ya?ml$/;

export function actionsWanted({ directory, tree }: ProjectSources): readonly RepositoryPath[] {
  const root = insideOf(directory);
  return tree
    .filter(({ kind }) => kind === "file" || kind === "executable")
    .map(({ path }) => path)
    .filter((path) => {
      const inside = root === "" ? path : posix.relative(root, path);
      return [WORKFLOW, SHARED, ACTION].some((name) => name.test(inside));
    });
}

interface Use {
  readonly name: string;
  readonly host: string | undefined;
  readonly declaration: Declaration;
  /** The version that the reference or the comment behind it says. */
  readonly current: string | undefined;
  readonly commit: string | undefined;
}

export function actionsParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: { file: string; why: string }[] = [];
  const groups = new Map<string, Use[]>();
  for (const file of actionsWanted(sources)) {
    const text = sources.files.get(file);
    if (text === undefined) continue;
    try {
      for (const use of usesIn(file, text)) {
        const id = `${use.host ?? ""}${use.name}@${use.commit ?? use.declaration.requirement}`;
        groups.set(id, [...(groups.get(id) ?? []), use]);
      }
    } catch (error) {
      if (!(error instanceof UpdatesError)) throw error;
      broken.push({ file, why: error.message });
    }
  }
  const dependencies = [...groups].map(([id, uses]): Dependency => {
    const [{ name, host, current, commit, declaration }] = uses as [Use, ...Use[]];
    return {
      id,
      name,
      origin:
        current === undefined && commit === undefined
          ? { kind: "none", why: `${name} follows the branch ${declaration.requirement}.` }
          : originOf(name, host, settings),
      declarations: uses.map((use) => use.declaration),
      development: false,
      current,
      ...(commit === undefined ? {} : { extra: { commit } }),
    };
  });
  return { dependencies, runtime: {}, broken };
}

function originOf(
  name: string,
  host: string | undefined,
  { registries }: ManagerSettings,
): DependencyOrigin {
  const own = registries.find(
    ({ manager, scope }) => manager === "host_actions" && scope === undefined,
  );
  const base = host ?? own?.url ?? "https://github.com";
  return { kind: "git", url: `${base.replace(/\/+$/, "")}/${name}` };
}

function usesIn(file: RepositoryPath, text: string): readonly Use[] {
  const found: Use[] = [];
  visit(readYaml(file, text), {
    Pair: (_key, pair: Pair) => {
      if (!isScalar(pair.key) || pair.key.value !== "uses") return;
      const scalar = scalarText(pair.value, text);
      const use = scalar && readUse(file, text, scalar.value, scalar.range.start);
      if (use) found.push(use);
    },
  });
  return found;
}

const USE = /^(?:(https?:\/\/[^/]+)\/)?([\w.-]+\/[\w.-]+)(?:\/[^@\s]+)?@([^\s@]+)$/;

/** Undefined for actions of the repository itself and for images. */
function readUse(
  file: RepositoryPath,
  text: string,
  value: string,
  start: number,
): Use | undefined {
  const [, host, name = "", reference = ""] = USE.exec(value) ?? [];
  if (name === "" || value.startsWith("./")) return undefined;
  const end = start + value.length;
  const at = end - reference.length;
  const section = "uses";
  if (!isCommit(reference)) {
    const declaration = {
      file,
      range: { start: at, end },
      requirement: reference,
      section,
      development: false,
    };
    const current = readTag(reference) ? reference : undefined;
    return { name, host, declaration, current, commit: undefined };
  }
  // `@<commit> # v3.1.0`: commit and comment move together, so both are the value.
  const [, between = "", version] =
    /^(["']?[ \t]+#[ \t]*(?:tag[=:]?[ \t]*)?)(\S+)/.exec(text.slice(end)) ?? [];
  const said = version !== undefined && readTag(version) ? version : undefined;
  const whole = said === undefined ? end : end + between.length + said.length;
  const declaration: Declaration = {
    file,
    range: { start: at, end: whole },
    requirement: text.slice(at, whole),
    section,
    development: false,
  };
  return { name, host, declaration, current: said, commit: reference };
}
