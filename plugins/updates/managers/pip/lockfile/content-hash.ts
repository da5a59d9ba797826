/** The manifest's hash in lock files: a part of the manifest as Python's JSON. */

import { createHash } from "node:crypto";
import { parse } from "smol-toml";
import { compareText } from "../../../text/text.js";
import { normalizedName } from "../manifest/written-requirement.js";

type Json = Readonly<Record<string, unknown>>;

const table = (value: unknown): Json =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Json) : {};

/** `json.dumps(value, sort_keys=True)`; undefined for values that JSON lacks. */
function pythonJson(
  value: unknown,
  [comma, colon]: readonly [string, string] = [", ", ": "],
): string {
  const write = (each: unknown): string => {
    if (typeof each === "string") return ascii(JSON.stringify(each));
    if (Array.isArray(each)) return `[${each.map(write).join(comma)}]`;
    if (each === null || typeof each === "boolean" || typeof each === "bigint") return String(each);
    if (typeof each === "number")
      return Number.isInteger(each) ? String(each) : JSON.stringify(each);
    const members = Object.entries(each as Json).filter(([, member]) => member !== undefined);
    const sorted = members.toSorted(([a], [b]) => compareText(a, b));
    return `{${sorted.map(([key, member]) => `${write(key)}${colon}${write(member)}`).join(comma)}}`;
  };
  return write(value);
}

const ascii = (text: string): string =>
  text.replace(/[\u007f-\uffff]/g, (letter) =>
    letter === "\u007f" ? letter : `\\u${letter.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );

const sha256 = (text: string): string => createHash("sha256").update(text).digest("hex");

/** The hash of a pyproject.toml, as Poetry 1 and 2 compute it. */
export function poetryHash(pyproject: string): string {
  const root = parse(pyproject.replace(/^\uFEFF/, ""));
  const poetry = table(table(root.tool).poetry);
  const project = table(root.project);
  const own = Object.fromEntries(
    ["requires-python", "dependencies", "optional-dependencies"]
      .filter((key) => project[key] !== undefined)
      .map((key) => [key, project[key]]),
  );
  const isProject = Object.keys(own).length > 0;
  const legacy = ["dependencies", "source", "extras", "dev-dependencies"];
  const said = Object.fromEntries(
    [...legacy, "group"]
      .filter((key) => poetry[key] !== undefined || (legacy.includes(key) && !isProject))
      .map((key) => [key, poetry[key] ?? null]),
  );
  const groups = table(root["dependency-groups"]);
  const more = Object.keys(groups).length > 0 ? { "dependency-groups": groups } : {};
  return sha256(pythonJson(isProject ? { project: own, tool: { poetry: said }, ...more } : said));
}

/** The hash of a Pipfile, as Pipenv computes it. */
export function pipfileHash(pipfile: string): string {
  const root = parse(pipfile.replace(/^\uFEFF/, ""));
  const {
    source = [],
    requires = {},
    packages = {},
    "dev-packages": develop = {},
    ...others
  } = root;
  const known = new Set(["pipenv", "scripts", "pipfile"]);
  const categories = Object.entries(others).filter(([name]) => !known.has(name));
  return sha256(
    pythonJson(
      {
        _meta: { sources: source, requires },
        default: packages,
        develop,
        ...Object.fromEntries(categories),
      },
      [",", ":"],
    ),
  );
}

/** The hash of a pyproject.toml, as PDM computes it: until 2.2, later with overrides, and with all resolver settings. */
export function pdmHashes(pyproject: string): readonly string[] {
  const root = parse(pyproject.replace(/^\uFEFF/, ""));
  const project = table(root.project);
  const pdm = table(table(root.tool).pdm);
  const resolution = table(pdm.resolution);
  const said = {
    sources: pdm.source ?? [],
    dependencies: project.dependencies ?? [],
    "dev-dependencies": pdm["dev-dependencies"] ?? {},
    "optional-dependencies": project["optional-dependencies"] ?? {},
    "requires-python": project["requires-python"] ?? "",
  };
  return [
    { ...said, overrides: table(pdm.overrides) },
    { ...said, overrides: table(resolution.overrides) },
    { ...said, "dev-dependencies": developmentGroups(root), resolution },
  ].map((each) => sha256(pythonJson(each)));
}

/** Dependency groups of PEP 735, then PDM's groups of the same name. */
function developmentGroups(root: Json): Json {
  const groups = new Map<string, unknown[]>();
  const own = table(table(table(root.tool).pdm)["dev-dependencies"]);
  for (const [name, entries] of [
    ...Object.entries(table(root["dependency-groups"])),
    ...Object.entries(own),
  ]) {
    const key = normalizedName(name);
    groups.set(key, [...(groups.get(key) ?? []), ...(Array.isArray(entries) ? entries : [])]);
  }
  return Object.fromEntries(groups);
}
