/** elm.json: the dependencies it declares, and edits of its objects. */
import { findNodeAtLocation, parseTree } from "jsonc-parser";
import { UpdatesError } from "../../errors.js";
import { readJson } from "../../text/json.js";
import { replaced, withoutMark } from "../../text/text.js";
import { type BrokenFiles, readOrReport } from "../broken-files.js";
import type {
  Declaration,
  Dependency,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../contract.js";
import { withoutSlash } from "../origin.js";
import { existing, within } from "../paths.js";
import { isElmName } from "./registry.js";
import { elmVersioning } from "./versions.js";

/** Of packages and applications. An application divides each section into `direct` and `indirect`. */
export const ELM_SECTIONS = ["dependencies", "test-dependencies"];

export const manifestFile = ({ directory }: ProjectSources): RepositoryPath =>
  within(directory, "elm.json");

export const elmWanted = (sources: ProjectSources): readonly RepositoryPath[] =>
  existing(sources, [manifestFile(sources)]);

export const elmRegistry = ({ registries }: ManagerSettings): string =>
  withoutSlash(
    registries.find(({ manager }) => manager === "elm")?.url ?? "https://package.elm-lang.org",
  );

export function elmParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const file = manifestFile(sources);
  const text = sources.files.get(file);
  const broken: BrokenFiles = [];
  const project =
    text === undefined
      ? undefined
      : readOrReport(file, broken, () => readManifest(file, text, elmRegistry(settings)));
  return { dependencies: [], runtime: {}, broken, ...project };
}

function readManifest(
  file: RepositoryPath,
  text: string,
  registry: string,
): Pick<ParsedProject, "dependencies" | "runtime"> {
  const json = readJson(file, text);
  const type = json.value("type");
  if (type !== "application" && type !== "package")
    throw new UpdatesError(
      "manifest_unreadable",
      `The type in ${file} is neither "application" nor "package".`,
    );
  const elmVersion = json.value("elm-version");
  const runtime = { type, ...(typeof elmVersion === "string" ? { elm: elmVersion } : {}) };
  const groups = new Map<string, Declaration[]>();
  for (const section of ELM_SECTIONS)
    for (const { key, value, range } of json.texts(
      section,
      ...(type === "application" ? ["direct"] : []),
    )) {
      const development = section === "test-dependencies";
      const declaration = { file, range, requirement: value, section, development };
      groups.set(key, [...(groups.get(key) ?? []), declaration]);
    }
  const dependencies = [...groups].map(([name, declarations]): Dependency => {
    const requirement = declarations[0]?.requirement;
    return {
      id: name,
      name,
      origin: isElmName(name)
        ? { kind: "registry", url: registry }
        : { kind: "none", why: `${name} is not a valid name of an Elm package.` },
      declarations,
      development: declarations.every(({ development }) => development),
      current: type === "application" ? requirement : elmVersioning.floor(requirement ?? ""),
      ...(runtime.elm === undefined ? {} : { extra: { elm: runtime.elm } }),
    };
  });
  return { dependencies, runtime };
}

/**
 * Replaces the members of an object: only the values where the names stay the same, else the whole object, with its indentation.
 * @throws UpdatesError `manifest_unreadable` where members have no object to go to
 */
export function withMembers(
  file: string,
  whole: string,
  path: readonly string[],
  members: ReadonlyMap<string, string>,
): string {
  const { text, skipped } = withoutMark(whole);
  const root = parseTree(text);
  const node = root && findNodeAtLocation(root, [...path]);
  const children = node?.type === "object" ? (node.children ?? []) : undefined;
  if (!node || !children) {
    if (members.size === 0) return whole;
    throw new UpdatesError("manifest_unreadable", `${file} has no object ${path.join(".")}.`);
  }
  const names = children.map(({ children: [key] = [] }) => String(key?.value));
  if (names.length === members.size && names.every((name) => members.has(name)))
    return replaced(
      whole,
      children.flatMap(({ children: [key, value] = [] }) => {
        const next = members.get(String(key?.value));
        if (!value || next === undefined || value.value === next) return [];
        const start = value.offset + skipped;
        return [{ range: { start, end: start + value.length }, text: JSON.stringify(next) }];
      }),
    );
  const newline = text.includes("\r\n") ? "\r\n" : "\n";
  const line = text.slice(text.lastIndexOf("\n", node.offset) + 1, node.offset);
  const outer = /^[ \t]*/.exec(line)?.[0] ?? "";
  const step = outer.includes("\t")
    ? outer.slice(0, outer.length / path.length)
    : " ".repeat(outer.length / path.length || 4);
  const lines = [...members].map(
    ([name, version]) => `${outer}${step}${JSON.stringify(name)}: ${JSON.stringify(version)}`,
  );
  const object =
    lines.length === 0 ? "{}" : `{${newline}${lines.join(`,${newline}`)}${newline}${outer}}`;
  const start = node.offset + skipped;
  return replaced(whole, [{ range: { start, end: start + node.length }, text: object }]);
}
