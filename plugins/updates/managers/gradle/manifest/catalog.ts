/**
 * Version catalogs: libraries and plugins with their versions, and where scripts use them: `implementation(libs.acme.thing)`,
 * `testImplementation libs.bundles.tests`.
 */
import { posix } from "node:path";
import type { GradleToken } from "../../../languages/gradle-tokens.js";
import type { TextRange } from "../../../text/text.js";
import {
  readToml,
  type TomlNode,
  tomlAt,
  tomlItems,
  tomlMembers,
  tomlText,
} from "../../../text/toml.js";
import type { RepositoryPath } from "../../contract.js";
import { isCalled, WRAPPERS } from "./declarations.js";
import type { Variables } from "./variables.js";

export interface CatalogEntry {
  /** Its accessor in scripts, and those of its bundles. */
  readonly accessors: readonly string[];
  readonly name: string;
  readonly plugin: boolean;
  readonly text: string;
  readonly range: TextRange;
  /** The key in `[versions]`, for a version reference. */
  readonly shared: string | undefined;
}

interface VersionText {
  readonly text: string;
  readonly range: TextRange;
}

/** @throws UpdatesError `manifest_unreadable` */
export function readCatalog(file: RepositoryPath, whole: string): readonly CatalogEntry[] {
  const root = readToml(file, whole);
  const entries: CatalogEntry[] = [];
  const bundles = bundlesOf(root);
  for (const plugin of [false, true])
    for (const [alias, node] of tomlMembers(root, plugin ? "plugins" : "libraries")) {
      const own = accessorOf(alias);
      const accessors = plugin ? [`plugins.${own}`] : [own, ...(bundles.get(own) ?? [])];
      if (node.kind === "text") {
        const entry = shortNotation(node, plugin);
        if (entry) entries.push({ ...entry, accessors, plugin, shared: undefined });
        continue;
      }
      const name = nameOf(node, plugin);
      const shared = tomlText(node, "version", "ref");
      const version =
        shared === undefined ? tomlAt(node, "version") : tomlAt(root, "versions", shared);
      if (name !== undefined)
        for (const text of textsOf(version))
          entries.push({ name, accessors, plugin, shared, ...text });
    }
  return entries;
}

/** The bundles of each library. */
function bundlesOf(root: TomlNode): ReadonlyMap<string, readonly string[]> {
  const bundles = new Map<string, string[]>();
  for (const [name] of tomlMembers(root, "bundles"))
    for (const item of tomlItems(root, "bundles", name))
      if (item.kind === "text") {
        const library = accessorOf(item.value);
        bundles.set(library, [...(bundles.get(library) ?? []), `bundles.${accessorOf(name)}`]);
      }
  return bundles;
}

/** Values of `libs.versions.NAME`, without rich versions. @throws UpdatesError `manifest_unreadable` */
export function catalogVersions(file: RepositoryPath, whole: string): Variables {
  const catalog = posix.basename(file, ".versions.toml");
  return new Map(
    tomlMembers(readToml(file, whole), "versions").flatMap(([alias, node]) =>
      node.kind === "text" && node.range
        ? [
            [
              `${catalog}.versions.${accessorOf(alias)}`,
              { text: node.value, range: node.range, file },
            ] as const,
          ]
        : [],
    ),
  );
}

/** `"g:a:1.0"`, or `"id:1.0"` for a plugin. */
function shortNotation(
  node: TomlNode & { readonly kind: "text" },
  plugin: boolean,
): (VersionText & { readonly name: string }) | undefined {
  const colon = node.value.lastIndexOf(":");
  const name = node.value.slice(0, colon);
  const text = node.value.slice(colon + 1);
  if (!node.range || colon < 1 || name.includes(":") === plugin || text === "") return undefined;
  return { name, text, range: { start: node.range.end - text.length, end: node.range.end } };
}

function nameOf(node: TomlNode, plugin: boolean): string | undefined {
  if (plugin) return tomlText(node, "id");
  const [group, name] = [tomlText(node, "group"), tomlText(node, "name")];
  return tomlText(node, "module") ?? (group && name ? `${group}:${name}` : undefined);
}

/** A string, or the strings of a rich version. */
function textsOf(node: TomlNode | undefined): readonly VersionText[] {
  const nodes = ["strictly", "require", "prefer"].map((key) => tomlAt(node, key));
  return [node, ...nodes].flatMap((each) =>
    each?.kind === "text" && each.range ? [{ text: each.value, range: each.range }] : [],
  );
}

interface CatalogUse {
  /** The configuration. */
  readonly section: string;
  readonly platform: boolean;
}

/** By accessor, without the name of the catalog: `acme.thing`, `bundles.tests`. */
export type CatalogUses = ReadonlyMap<string, readonly CatalogUse[]>;

/** Scripts write `acme-thing_core` as `acme.thing.core`. */
export const accessorOf = (alias: string): string => alias.replace(/[-_]/g, ".");

export function usesIn(lists: Iterable<readonly GradleToken[]>): CatalogUses {
  const uses = new Map<string, CatalogUse[]>();
  for (const list of lists)
    for (const [at, token] of list.entries()) {
      if (token.kind !== "word" || list[at - 1]?.value === ".") continue;
      const words: string[] = [];
      for (let dot = at + 1; list[dot]?.value === "." && list[dot + 1]?.kind === "word"; dot += 2)
        words.push(list[dot + 1]?.value ?? "");
      while (/^(?:get|asProvider)$/.test(words.at(-1) ?? "")) words.pop();
      const use = words.length > 0 && usedIn(list, at);
      if (!use) continue;
      const name = words.join(".");
      uses.set(name, [...(uses.get(name) ?? []), use]);
    }
  return uses;
}

/** The nearest call before `at`, skipping parts of its arguments. */
function usedIn(list: readonly GradleToken[], at: number): CatalogUse | undefined {
  let platform = false;
  for (let before = at - 1; before >= Math.max(0, at - 60); before -= 1) {
    const { kind, value } = list[before] ?? {};
    if (kind === "sign" && /[{};=]/.test(value ?? "")) return undefined;
    if (isCalled(list, before)) return { section: value ?? "", platform };
    const next = list[before + 1];
    const part =
      list[before - 1]?.value === "." || (next?.kind === "sign" && /[.,)]/.test(next.value));
    if (kind !== "word" || part || value === undefined) continue;
    if (/platform$/i.test(value)) platform = true;
    else if (value === "add" && list[before + 2]?.kind === "text")
      return { section: list[before + 2]?.value ?? value, platform };
    else if (!WRAPPERS.has(value)) return { section: value, platform };
  }
  return undefined;
}
