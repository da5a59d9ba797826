/** Reads package references of project files and `packages.config`. */
import type { TextRange } from "../../../text/text.js";
import { child, readXml, type XmlElement, type XmlValue } from "../../../text/xml.js";

export interface NugetDeclaration {
  readonly name: string;
  readonly text: string;
  readonly range: TextRange;
  readonly section: string;
  readonly development: boolean;
  /** The allowed versions. */
  readonly allowed?: string;
}

interface NamedValue extends XmlValue {
  readonly name: string;
}

export interface ProjectFile {
  readonly declarations: readonly NugetDeclaration[];
  /** A used package, with its version here or in a central file. */
  readonly uses: readonly Pick<NugetDeclaration, "name" | "development">[];
  /** Properties by lower-case name, since MSBuild ignores case: `<Name>value</Name>`. */
  readonly properties: ReadonlyMap<string, NamedValue>;
}

const ITEMS = new Set([
  ...["packagereference", "packageversion", "globalpackagereference", "packagedownload"],
  "dotnetclitoolreference",
]);

/** @throws UpdatesError `manifest_unreadable` */
export function readProject(file: string, text: string): ProjectFile {
  const declarations: NugetDeclaration[] = [];
  const uses: ProjectFile["uses"][number][] = [];
  const properties = new Map<string, NamedValue>();
  const queue: XmlElement[] = [readXml(file, text)];
  for (const element of queue) {
    queue.push(...element.children);
    const name = element.name.toLowerCase();
    if (name === "propertygroup")
      for (const { name: property, value } of element.children)
        if (value && !properties.has(property.toLowerCase()))
          properties.set(property.toLowerCase(), { ...value, name: property });
    if (name === "packagereference") uses.push(...used(element));
    if (ITEMS.has(name)) declarations.push(...item(element));
    if (name === "sdk" || name === "import") declarations.push(...sdk(element, "Name", "Sdk"));
    if (name === "project") declarations.push(...inlineSdks(element));
    if (name === "package") declarations.push(...package_(element));
  }
  return { declarations, uses, properties };
}

/** An attribute or a child, ignoring case. */
function said(element: XmlElement, name: string): XmlValue | undefined {
  const lower = name.toLowerCase();
  for (const [key, value] of element.attributes) if (key.toLowerCase() === lower) return value;
  return element.children.find((each) => each.name.toLowerCase() === lower)?.value;
}

/** Analyzers and tools are for development. */
const BUILDING = /^(?:globalpackagereference|dotnetclitoolreference)$/i;

function used(element: XmlElement): ProjectFile["uses"] {
  const name = (said(element, "Include") ?? said(element, "Update"))?.text;
  if (name === undefined || !/^[\w.-]+$/.test(name)) return [];
  const isPrivate = /\ball\b/i.test(said(element, "PrivateAssets")?.text ?? "");
  return [{ name, development: isPrivate || BUILDING.test(element.name) }];
}

function item(element: XmlElement): readonly NugetDeclaration[] {
  const [use] = used(element);
  if (!use) return [];
  const { name, development } = use;
  return [said(element, "Version"), said(element, "VersionOverride")].flatMap((version) =>
    version ? [{ name, ...version, section: element.name, development }] : [],
  );
}

/** `<Sdk Name="A" Version="1.0"/>`, `<Import Sdk="A" Version="1.0"/>`. */
function sdk(element: XmlElement, ...keys: readonly string[]): readonly NugetDeclaration[] {
  const name = keys.map((key) => said(element, key)).find((value) => value !== undefined)?.text;
  const version = said(element, "Version");
  if (name === undefined || !version || !/^[\w.-]+$/.test(name)) return [];
  return [{ name, ...version, section: "Sdk", development: true }];
}

/** `<Project Sdk="A/1.0;B/2.0">`. */
function inlineSdks(element: XmlElement): readonly NugetDeclaration[] {
  const value = said(element, "Sdk");
  if (!value || child(element, "Sdk")) return [];
  return [...value.text.matchAll(/([\w.-]+)\/(\d[\w.+-]*)/g)].map((match) => {
    const [whole, name = "", text = ""] = match;
    const end = value.range.start + match.index + whole.length;
    const range = { start: end - text.length, end };
    return { name, text, range, section: "Sdk", development: true };
  });
}

/** `<package id="A" version="1.0" developmentDependency="true"/>` */
function package_(element: XmlElement): readonly NugetDeclaration[] {
  const [name, version] = [said(element, "id"), said(element, "version")];
  if (!name || !version) return [];
  const development = said(element, "developmentDependency")?.text === "true";
  const allowed = said(element, "allowedVersions")?.text;
  return [
    {
      ...{ name: name.text, ...version, section: "packages", development },
      ...(allowed === undefined ? {} : { allowed }),
    },
  ];
}
