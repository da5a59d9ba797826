/** Reads one Cargo.toml: dependencies with their ranges, workspace, package and Rust version. */
import type { TextRange } from "../../../text/text.js";
import {
  readToml,
  type TomlNode,
  tomlAt,
  tomlMembers,
  tomlText,
  tomlTexts,
  tomlTrue,
} from "../../../text/toml.js";

export interface CargoDependency {
  /** The project's name for it. */
  readonly key: string;
  /** Its name in the registry. */
  readonly name: string;
  /** `dependencies`, `dev-dependencies`, `target.'cfg(unix)'.dependencies`. */
  readonly section: string;
  readonly development: boolean;
  /** Undefined where there is none, or it cannot be edited. */
  readonly requirement:
    | { readonly text: string; readonly range: TextRange | undefined }
    | undefined;
  readonly inherited: boolean;
  readonly path: string | undefined;
  readonly git: string | undefined;
  /** The name of an alternative registry. */
  readonly registry: string | undefined;
  /** The address of a registry's index. */
  readonly index: string | undefined;
}

export interface CargoManifest {
  readonly dependencies: readonly CargoDependency[];
  /** `[workspace.dependencies]`, inherited by members. */
  readonly shared: readonly CargoDependency[];
  /** `[patch]` and `[replace]`: crates with another source. */
  readonly patched: readonly CargoDependency[];
  readonly package: string | undefined;
  readonly description: string;
  readonly publishable: boolean;
  readonly rust: string | undefined;
  readonly workspace:
    | { readonly members: readonly string[]; readonly exclude: readonly string[] }
    | undefined;
}

const SECTIONS = new Map([
  ["dependencies", false],
  ["dev-dependencies", true],
  ["dev_dependencies", true],
  ["build-dependencies", false],
  ["build_dependencies", false],
]);

/** @throws UpdatesError `manifest_unreadable` */
export function readCargoManifest(file: string, text: string): CargoManifest {
  const root = readToml(file, text);
  const workspace = tomlAt(root, "workspace");
  const targets = tomlMembers(root, "target").flatMap(([target, node]) =>
    sections(node, `target.${target}.`),
  );
  const publish = tomlAt(root, "package", "publish");
  return {
    dependencies: [...sections(root, ""), ...targets],
    shared: tomlMembers(workspace, "dependencies").map(([key, node]) =>
      dependency(key, node, "workspace.dependencies", false),
    ),
    patched: [
      ...tomlMembers(root, "patch").flatMap(([registry, node]) =>
        tomlMembers(node).map(([key, value]) => ({
          ...dependency(key, value, `patch.${registry}`, false),
          registry: registry === "crates-io" ? undefined : registry,
        })),
      ),
      ...tomlMembers(root, "replace").map(([key, value]) =>
        dependency(key.split(":")[0] ?? key, value, "replace", false),
      ),
    ],
    package: tomlText(root, "package", "name") ?? tomlText(root, "project", "name"),
    description: tomlText(root, "package", "description") ?? "",
    publishable: !(publish?.kind === "other" && publish.value === false),
    rust:
      tomlText(root, "package", "rust-version") ?? tomlText(workspace, "package", "rust-version"),
    workspace:
      workspace === undefined
        ? undefined
        : { members: tomlTexts(workspace, "members"), exclude: tomlTexts(workspace, "exclude") },
  };
}

const sections = (node: TomlNode, prefix: string): readonly CargoDependency[] =>
  [...SECTIONS].flatMap(([section, development]) =>
    tomlMembers(node, section).map(([key, value]) =>
      dependency(key, value, `${prefix}${section}`, development),
    ),
  );

function dependency(
  key: string,
  node: TomlNode,
  section: string,
  development: boolean,
): CargoDependency {
  const written = node.kind === "text" ? node : tomlAt(node, "version");
  return {
    key,
    name: tomlText(node, "package") ?? key,
    section,
    development,
    requirement:
      written?.kind === "text"
        ? { text: written.value.trim(), range: trimmed(written) }
        : undefined,
    inherited: tomlTrue(node, "workspace"),
    path: tomlText(node, "path"),
    git: tomlText(node, "git"),
    registry: tomlText(node, "registry"),
    index: tomlText(node, "registry-index"),
  };
}

function trimmed({
  value,
  range,
}: {
  value: string;
  range: TextRange | undefined;
}): TextRange | undefined {
  if (!range) return undefined;
  const start = range.start + (value.length - value.trimStart().length);
  return { start, end: start + value.trim().length };
}
