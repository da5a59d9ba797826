/** pyproject.toml in the words of PEP 621 and 735, of Poetry, PDM and uv; and Pipfile. */
import { readToml, type TomlNode, tomlAt, tomlItems, tomlMembers, tomlText } from "../toml.js";
import { isRequirement } from "./versioning.js";
import { isForDevelopment, readWritten, type Written } from "./written.js";

export interface Pyproject {
  readonly written: readonly Written[];
  readonly name: string | undefined;
  readonly description: string;
  readonly python: string | undefined;
  /** Name → address, the usual one first. */
  readonly indexes: ReadonlyMap<string, string>;
}

/** @throws UpdatesError `manifest_unreadable` */
export function readPyproject(file: string, text: string): Pyproject {
  const root = readToml(file, text);
  const poetry = tomlAt(root, "tool", "poetry");
  const groups = tomlMembers(poetry, "group").flatMap(([name, group]) =>
    table(tomlAt(group, "dependencies"), `tool.poetry.group.${name}.dependencies`, name !== "main"),
  );
  const written = [
    ...list(tomlAt(root, "build-system", "requires"), "build-system.requires", true),
    ...list(tomlAt(root, "project", "dependencies"), "project.dependencies", false),
    ...lists(
      tomlAt(root, "project", "optional-dependencies"),
      "project.optional-dependencies",
      false,
    ),
    ...lists(tomlAt(root, "dependency-groups"), "dependency-groups", true),
    ...lists(tomlAt(root, "tool", "pdm", "dev-dependencies"), "tool.pdm.dev-dependencies", true),
    ...list(tomlAt(root, "tool", "uv", "dev-dependencies"), "tool.uv.dev-dependencies", true),
    ...list(
      tomlAt(root, "tool", "uv", "constraint-dependencies"),
      "tool.uv.constraint-dependencies",
      false,
    ),
    ...table(tomlAt(poetry, "dependencies"), "tool.poetry.dependencies", false),
    ...table(tomlAt(poetry, "dev-dependencies"), "tool.poetry.dev-dependencies", true),
    ...groups,
  ];
  return {
    written,
    name: tomlText(root, "project", "name") ?? tomlText(poetry, "name"),
    description: tomlText(root, "project", "description") ?? tomlText(poetry, "description") ?? "",
    python:
      tomlText(root, "project", "requires-python") ?? tomlText(poetry, "dependencies", "python"),
    indexes: new Map([
      ...named(tomlAt(poetry, "source")),
      ...named(tomlAt(root, "tool", "pdm", "source")),
      ...named(tomlAt(root, "tool", "uv", "index")),
    ]),
  };
}

const PIPFILE_OWN: ReadonlySet<string> = new Set([
  ...["source", "packages", "dev-packages", "requires", "scripts", "pipenv", "pipfile"],
]);

/** @throws UpdatesError `manifest_unreadable` */
export function readPipfile(file: string, text: string): Pyproject {
  const root = readToml(file, text);
  const python = tomlText(root, "requires", "python_version");
  return {
    written: [
      ...table(tomlAt(root, "packages"), "packages", false),
      ...table(tomlAt(root, "dev-packages"), "dev-packages", true),
      // Everything that is not Pipenv's own is a category of packages.
      ...tomlMembers(root)
        .filter(([name]) => !PIPFILE_OWN.has(name))
        .flatMap(([name, node]) => table(node, name, isForDevelopment(name))),
    ],
    name: undefined,
    description: "",
    python: python === undefined ? undefined : `==${python}.*`,
    indexes: named(tomlAt(root, "source")),
  };
}

const named = (node: TomlNode | undefined): ReadonlyMap<string, string> =>
  new Map(
    (node?.kind === "list" ? node.items : []).flatMap((item, place): [string, string][] => {
      const url = tomlText(item, "url");
      return url === undefined ? [] : [[tomlText(item, "name") ?? String(place), url]];
    }),
  );

const list = (
  node: TomlNode | undefined,
  section: string,
  development: boolean,
): readonly Written[] =>
  tomlItems(node).flatMap((item) => {
    if (item.kind !== "text" || !item.range) return [];
    return readWritten(item.value, item.range.start, { section, development }) ?? [];
  });

const lists = (
  node: TomlNode | undefined,
  section: string,
  development: boolean,
): readonly Written[] =>
  tomlMembers(node).flatMap(([name, items]) =>
    list(items, `${section}.${name}`, development || isForDevelopment(name)),
  );

/** `name = "^1.2"`, `name = { version = "^1.2" }`, and several of those in a list. */
const table = (
  node: TomlNode | undefined,
  section: string,
  development: boolean,
): readonly Written[] =>
  tomlMembers(node)
    .filter(([name]) => name.toLowerCase() !== "python")
    .flatMap(([name, value]) => {
      const entries = value.kind === "list" ? value.items : [value];
      return entries.flatMap((entry) => member(name, entry, section, development) ?? []);
    });

function member(
  name: string,
  entry: TomlNode,
  section: string,
  development: boolean,
): Written | undefined {
  const version = entry.kind === "text" ? entry : tomlAt(entry, "version");
  const where = { name, section, development };
  const address = ["git", "path", "file", "url"]
    .map((key) => tomlText(entry, key))
    .find((text) => text !== undefined);
  if (address !== undefined)
    return { ...where, requirement: "", range: { start: 0, end: 0 }, address };
  if (version?.kind !== "text" || !version.range || !isRequirement(version.value)) return undefined;
  const lead = version.value.length - version.value.trimStart().length;
  const requirement = version.value.trim();
  const start = version.range.start + lead;
  const index = tomlText(entry, "source") ?? tomlText(entry, "index");
  return {
    ...where,
    requirement,
    range: { start, end: start + requirement.length },
    ...(index === undefined ? {} : { index }),
  };
}
