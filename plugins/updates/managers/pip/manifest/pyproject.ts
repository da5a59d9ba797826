/** pyproject.toml in the words of PEP 621 and 735, of Poetry, PDM and uv; and Pipfile. */
import {
  readToml,
  type TomlNode,
  tomlAt,
  tomlItems,
  tomlMembers,
  tomlText,
  tomlTexts,
  tomlTrue,
} from "../../../text/toml.js";
import { isPythonRequirement } from "../versions/versions.js";
import { isForDevelopment, readWritten, type WrittenRequirement } from "./written-requirement.js";

export interface Pyproject {
  readonly written: readonly WrittenRequirement[];
  readonly name: string | undefined;
  readonly description: string;
  readonly python: string | undefined;
  /** Name → address. */
  readonly indexes: ReadonlyMap<string, string>;
  /** The index of what names none. */
  readonly usual: string | undefined;
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
    ...UV_LISTS.flatMap((name) => list(tomlAt(root, "tool", "uv", name), `tool.uv.${name}`, false)),
    ...tomlMembers(root, "tool", "uv", "sources").flatMap(([name, node]) => source(name, node)),
    ...tomlMembers(root, "tool", "hatch", "envs").flatMap(([name, environment]) =>
      ["dependencies", "extra-dependencies"].flatMap((key) =>
        list(tomlAt(environment, key), `tool.hatch.envs.${name}.${key}`, true),
      ),
    ),
    ...table(tomlAt(poetry, "requires-plugins"), "tool.poetry.requires-plugins", true),
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
    ...indexesIn(root),
  };
}

const UV_LISTS = [
  "constraint-dependencies",
  "override-dependencies",
  "build-constraint-dependencies",
];

const PIPFILE_OWN: ReadonlySet<string> = new Set([
  ...["source", "packages", "dev-packages", "requires", "scripts", "pipenv", "pipfile"],
]);

/** @throws UpdatesError `manifest_unreadable` */
export function readPipfile(file: string, text: string): Pyproject {
  const root = readToml(file, text);
  const full = tomlText(root, "requires", "python_full_version")?.replace(/\.\d+$/, "");
  const python = tomlText(root, "requires", "python_version") ?? full;
  const sources = named(tomlAt(root, "source"));
  return {
    written: [
      ...table(tomlAt(root, "packages"), "packages", false),
      ...table(tomlAt(root, "dev-packages"), "dev-packages", true),
      // All other keys are categories of packages.
      ...tomlMembers(root)
        .filter(([name]) => !PIPFILE_OWN.has(name))
        .flatMap(([name, node]) => table(node, name, isForDevelopment(name))),
    ],
    name: undefined,
    description: "",
    python: python === undefined ? undefined : `==${python}.*`,
    indexes: new Map(sources.map(({ name, url }) => [name, url])),
    usual: sources[0]?.url,
  };
}

interface Index {
  readonly name: string;
  readonly url: string;
  /** Queried only for packages that name it, or after all others. */
  readonly aside: boolean;
  readonly first: boolean;
}

const named = (node: TomlNode | undefined): readonly Index[] =>
  (node?.kind === "list" ? node.items : []).flatMap((item, position): Index[] => {
    const url = tomlText(item, "url");
    const priority = tomlText(item, "priority");
    if (url === undefined) return [];
    return [
      {
        name: tomlText(item, "name") ?? String(position),
        url,
        aside:
          ["explicit", "supplemental", "secondary"].includes(priority ?? "") ||
          ["explicit", "secondary"].some((key) => tomlTrue(item, key)),
        first: priority === "default" || tomlTrue(item, "default"),
      },
    ];
  });

function indexesIn(root: TomlNode): Pick<Pyproject, "indexes" | "usual"> {
  const all = [
    ...named(tomlAt(root, "tool", "poetry", "source")),
    ...named(tomlAt(root, "tool", "pdm", "source")).map((each) =>
      each.name === "pypi" ? { ...each, first: true } : each,
    ),
    ...named(tomlAt(root, "tool", "uv", "index")),
  ];
  const usual = all.find(({ first }) => first) ?? all.find(({ aside }) => !aside);
  return { indexes: new Map(all.map(({ name, url }) => [name, url])), usual: usual?.url };
}

/** Requirement files that the project's metadata names. */
export function requirementsNamed(file: string, text: string): readonly string[] {
  if (!/\bdynamic\b|requirements_txt/.test(text)) return [];
  const root = readToml(file, text);
  const dynamic = tomlAt(root, "tool", "setuptools", "dynamic");
  const hook = tomlAt(root, "tool", "hatch", "metadata", "hooks", "requirements_txt");
  const tables = [
    tomlAt(dynamic, "dependencies", "file"),
    ...tomlMembers(dynamic, "optional-dependencies").map(([, node]) => tomlAt(node, "file")),
    tomlAt(hook, "files"),
    ...tomlMembers(hook, "optional-dependencies").map(([, node]) => node),
  ];
  return tables.flatMap((position) =>
    position?.kind === "text" ? [position.value] : tomlTexts(position),
  );
}

const list = (
  node: TomlNode | undefined,
  section: string,
  development: boolean,
): readonly WrittenRequirement[] =>
  tomlItems(node).flatMap((item) => {
    if (item.kind !== "text" || !item.range) return [];
    return readWritten(item.value, item.range.start, { section, development }) ?? [];
  });

const lists = (
  node: TomlNode | undefined,
  section: string,
  development: boolean,
): readonly WrittenRequirement[] =>
  tomlMembers(node).flatMap(([name, items]) =>
    list(items, `${section}.${name}`, development || isForDevelopment(name)),
  );

/** `name = "^1.2"`, `name = { version = "^1.2" }`, and several of those in a list. */
const table = (
  node: TomlNode | undefined,
  section: string,
  development: boolean,
): readonly WrittenRequirement[] =>
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
): WrittenRequirement | undefined {
  const version = entry.kind === "text" ? entry : tomlAt(entry, "version");
  const where = { name, section, development };
  const from = whence(entry);
  if (from.address !== undefined || (version === undefined && from.index !== undefined))
    return { ...where, ...NOWHERE, ...from };
  if (version?.kind !== "text" || !version.range || !isPythonRequirement(version.value))
    return undefined;
  const lead = version.value.length - version.value.trimStart().length;
  const requirement = version.value.trim();
  const start = version.range.start + lead;
  return {
    ...where,
    requirement,
    range: { start, end: start + requirement.length },
    ...from,
  };
}

const NOWHERE = { requirement: "", range: { start: 0, end: 0 }, about: true } as const;

/** The source of a package, if not the default one. */
function whence(entry: TomlNode): Pick<WrittenRequirement, "address" | "index"> {
  const address = ["git", "path", "file", "url"]
    .map((key) => tomlText(entry, key))
    .find((text) => text !== undefined);
  if (address !== undefined) return { address };
  if (tomlTrue(entry, "workspace")) return { address: "." };
  const index = tomlText(entry, "source") ?? tomlText(entry, "index");
  return index === undefined ? {} : { index };
}

/** `[tool.uv.sources]`, one per name or per marker. */
const source = (name: string, node: TomlNode): readonly WrittenRequirement[] =>
  (node.kind === "list" ? node.items : [node]).flatMap((entry) => {
    const from = whence(entry);
    if (from.address === undefined && from.index === undefined) return [];
    return [{ name, section: "tool.uv.sources", development: false, ...NOWHERE, ...from }];
  });
