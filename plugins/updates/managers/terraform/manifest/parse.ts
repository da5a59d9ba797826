/** Finds providers and modules in the files of a directory. */

import { posix } from "node:path";
import semver from "semver";
import { readTag } from "../../../versions/tag.js";
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  Declaration,
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { declare } from "../../declare.js";
import { chartOrigin } from "../../helm/manifest/parse.js";
import { filePaths, insideOf, within } from "../../paths.js";
import { type LockedProvider, readTerraformLock } from "../lockfile.js";
import { OPENTOFU, TERRAFORM, terraformRegistryUrl } from "../registry.js";
import { readConstraints, terraformVersioning } from "../versions.js";
import { localsIn, readTerraform, type Used, usesIn } from "./read.js";

export const terraformLockFile = ({ directory }: ProjectSources): RepositoryPath =>
  within(directory, ".terraform.lock.hcl");

export function terraformWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const directory = insideOf(sources.directory) || ".";
  const here = filePaths(sources).filter((path) => posix.dirname(path) === directory);
  const manifests = here.filter((path) =>
    /\.(tf|tofu)(\.json)?$|(^|\/)terragrunt\.hcl(\.json)?$/.test(path),
  );
  const locks = here.filter((path) => posix.basename(path) === ".terraform.lock.hcl");
  return manifests.length === 0 ? [] : [...manifests, ...locks];
}

interface TerraformUse {
  readonly file: RepositoryPath;
  readonly used: Used;
}

export function terraformParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const read = <Result>(
    file: string,
    reader: (file: string, text: string) => readonly Result[],
  ): readonly Result[] =>
    readOrReport(file, broken, () => reader(file, sources.files.get(file) ?? "")) ?? [];
  const lock = terraformLockFile(sources);
  const files = terraformWanted(sources).filter((file) => sources.files.has(file));
  const locked = files.includes(lock) ? read(lock, readTerraformLock) : [];
  const usual =
    locked.some(({ address }) => address.startsWith(`${OPENTOFU}/`)) ||
    files.some((file) => /\.tofu(\.json)?$/.test(file))
      ? OPENTOFU
      : TERRAFORM;
  const bodies = files
    .filter((each) => each !== lock)
    .flatMap((file) => read(file, (name, text) => [{ file, body: readTerraform(name, text) }]));
  // The files of a directory are one module, with common locals.
  const locals = new Map(
    bodies.flatMap(({ file, body }) => localsIn(file, body)).map((local) => [local.name, local]),
  );
  const groups = new Map<string, TerraformUse[]>();
  for (const { file, body } of bodies)
    for (const used of usesIn(body, locals)) {
      const source = used.source.toLowerCase();
      const key = `${used.kind} ${used.chart === undefined ? "" : `${used.chart} `}${source.startsWith(`${usual}/`) ? source.slice(usual.length + 1) : source}`;
      groups.set(key, [...(groups.get(key) ?? []), { file, used }]);
    }
  const context = { locked, lock, usual, settings, shared: sharedLocals(groups) };
  return {
    dependencies: [...groups].map(([key, uses]) => dependency(key, uses, context)),
    runtime: {},
    broken,
  };
}

/** Locals with the version of several dependencies, which one value cannot follow. */
function sharedLocals(groups: ReadonlyMap<string, readonly TerraformUse[]>): ReadonlySet<string> {
  const users = Map.groupBy(
    [...groups].flatMap(([key, uses]) =>
      [...new Set(uses.flatMap(({ used }) => used.version?.local?.name ?? []))].map((name) => ({
        name,
        key,
      })),
    ),
    ({ name }) => name,
  );
  return new Set([...users].filter(([, all]) => all.length > 1).map(([name]) => name));
}

interface TerraformContext {
  readonly shared: ReadonlySet<string>;
  readonly locked: readonly LockedProvider[];
  readonly lock: RepositoryPath;
  /** The host of addresses without one. */
  readonly usual: string;
  readonly settings: ManagerSettings;
}

function dependency(
  id: string,
  uses: readonly TerraformUse[],
  context: TerraformContext,
): Dependency {
  const [{ used }] = uses as [TerraformUse, ...TerraformUse[]];
  const { kind, source } = used;
  const declarations: Declaration[] = [];
  for (const declaration of uses.flatMap(declarationOf)) declare(declarations, declaration);
  if (kind === "git") return gitDependency(id, used, declarations);
  if (kind === "chart") return chartDependency(id, uses, declarations, context);
  const parts = source.split("/");
  const words = kind === "provider" ? 2 : 3;
  const host = parts.length > words ? (parts[0] ?? "") : context.usual;
  const path = parts.slice(-words).join("/").toLowerCase();
  const address = `${host}/${path}`;
  const entry =
    kind === "provider" ? context.locked.find((each) => each.address === address) : undefined;
  const current = entry?.version.text ?? pinned(declarations);
  return {
    id,
    name: host === context.usual ? path : address,
    origin:
      sharedOrigin(uses, context) ??
      originOf(declarations, kind, source, host, entry !== undefined, context.settings),
    declarations,
    development: false,
    current,
    extra: { kind, path, address },
    ...(entry === undefined ? {} : { lockedBy: context.lock }),
  };
}

function sharedOrigin(
  uses: readonly TerraformUse[],
  { shared }: TerraformContext,
): DependencyOrigin | undefined {
  const name = uses
    .map(({ used }) => used.version?.local?.name)
    .find((local) => local !== undefined && shared.has(local));
  if (name === undefined) return undefined;
  return { kind: "none", why: `local.${name} has the version of several dependencies.` };
}

function originOf(
  declarations: readonly Declaration[],
  kind: string,
  source: string,
  host: string,
  locked: boolean,
  settings: ManagerSettings,
): DependencyOrigin {
  if (source.startsWith("terraform.io/builtin/"))
    return { kind: "none", why: `${source} is a part of Terraform.` };
  if (declarations.every(({ requirement }) => requirement === "") && !locked)
    return {
      kind: "none",
      why: `No version of the ${kind} ${source} is required in a way that can be edited.`,
    };
  return { kind: "registry", url: terraformRegistryUrl(host, settings) };
}

function gitDependency(
  id: string,
  { source }: Used,
  declarations: readonly Declaration[],
): Dependency {
  const [declaration] = declarations;
  const tag = declaration === undefined ? undefined : readTag(declaration.requirement);
  const name = shown(source);
  const follows = declaration === undefined ? "no tag" : declaration.requirement;
  return {
    id: shown(id),
    name,
    origin:
      tag && /^https?:\/\//.test(source)
        ? { kind: "git", url: source }
        : { kind: "none", why: `${name} follows ${follows}, or is not behind HTTP.` },
    declarations,
    development: false,
    current: declarations
      .map(({ requirement }) => requirement)
      .filter((text) => semver.valid(text) !== null)
      .toSorted(semver.compare)[0],
    extra: { kind: "git" },
  };
}

function chartDependency(
  id: string,
  uses: readonly TerraformUse[],
  declarations: readonly Declaration[],
  context: TerraformContext,
): Dependency {
  const [{ used }] = uses as [TerraformUse, ...TerraformUse[]];
  const { source: repository, chart: name = "" } = used;
  const [first] = declarations;
  const version = first && { text: first.requirement, range: first.range };
  const { origin, extra } = chartOrigin({ name, repository, version }, context.settings);
  return {
    ...{ id, name, declarations, development: false, current: pinned(declarations) },
    origin: sharedOrigin(uses, context) ?? origin,
    extra: { ...extra, kind: "chart" },
  };
}

/** Without credentials. */
const shown = (text: string): string => text.replace(/\/\/[^/@]*@/, "//");

function declarationOf({
  file,
  used: { version, section, kind },
}: TerraformUse): readonly Declaration[] {
  if (!version) return [];
  if (kind !== "git" && readConstraints(version.text) === undefined) return [];
  const extra = kind === "git" || kind === "chart" ? { extra: { kind } } : {};
  const { range, text: requirement, local } = version;
  return [
    { ...{ file: local?.file ?? file, range, requirement, section, development: false }, ...extra },
  ];
}

const pinned = (declarations: readonly Declaration[]): string | undefined =>
  declarations
    .map(({ requirement }) => readConstraints(requirement) ?? [])
    .filter(([only, ...others]) => only?.sign === "=" && others.length === 0)
    .flatMap(([only]) => only?.version ?? [])
    .toSorted(terraformVersioning.compare)[0];
