/** Version catalogs: libraries and plugins with their versions, their own or one of `[versions]`. */
import { posix } from "node:path";
import type { TextRange } from "../../text/text.js";
import {
  readToml,
  type TomlNode,
  tomlAt,
  tomlItems,
  tomlMembers,
  tomlText,
} from "../../text/toml.js";
import type { RepositoryPath } from "../contract.js";
import { accessorOf } from "./uses.js";
import type { Variables } from "./variables.js";

export interface CatalogEntry {
  /** What scripts call it, and the bundles it is in. */
  readonly accessors: readonly string[];
  readonly name: string;
  readonly plugin: boolean;
  readonly text: string;
  readonly range: TextRange;
  /** The name in `[versions]`, where it is one. */
  readonly shared: string | undefined;
}

interface Text {
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
        const whole = short(node, plugin);
        if (whole) entries.push({ ...whole, accessors, plugin, shared: undefined });
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

/** Of each library the bundles it is in. */
function bundlesOf(root: TomlNode): ReadonlyMap<string, readonly string[]> {
  const found = new Map<string, string[]>();
  for (const [name] of tomlMembers(root, "bundles"))
    for (const item of tomlItems(root, "bundles", name))
      if (item.kind === "text") {
        const library = accessorOf(item.value);
        found.set(library, [...(found.get(library) ?? []), `bundles.${accessorOf(name)}`]);
      }
  return found;
}

/** What scripts call `libs.versions.NAME`, as far as it is one version. @throws UpdatesError `manifest_unreadable` */
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
function short(
  node: TomlNode & { readonly kind: "text" },
  plugin: boolean,
): (Text & { readonly name: string }) | undefined {
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

/** A text, or the texts of a rich version. */
function textsOf(node: TomlNode | undefined): readonly Text[] {
  const nodes = ["strictly", "require", "prefer"].map((key) => tomlAt(node, key));
  return [node, ...nodes].flatMap((each) =>
    each?.kind === "text" && each.range ? [{ text: each.value, range: each.range }] : [],
  );
}
