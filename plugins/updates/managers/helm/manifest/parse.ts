/** The dependencies of `Chart.yaml`, or of `requirements.yaml` in charts for Helm 2. */
import { type BrokenFiles, readOrReport } from "../../broken-files.js";
import type {
  Dependency,
  DependencyOrigin,
  ManagerSettings,
  ParsedProject,
  ProjectSources,
  RepositoryPath,
} from "../../contract.js";
import { imageRegistry } from "../../docker/manifest/parse.js";
import { configuredUrl, withoutSlash } from "../../origin.js";
import { existing, within } from "../../paths.js";
import { lockedVersions } from "../lockfile.js";
import { helmVersioning } from "../versions.js";
import { type ChartDependency, chartDependencies, keyOf } from "./read.js";

const MANIFESTS = ["Chart.yaml", "requirements.yaml"];

/** The last that exists: a chart with `requirements.yaml` has no dependencies in `Chart.yaml`. */
export const helmManifest = (sources: ProjectSources): RepositoryPath | undefined => {
  const found = existing(
    sources,
    MANIFESTS.map((name) => within(sources.directory, name)),
  );
  return found.find((path) => path.endsWith("requirements.yaml")) ?? found[0];
};

export const helmLockFile = (manifest: RepositoryPath): RepositoryPath =>
  manifest.replace(/\.yaml$/, ".lock");

export function helmWanted(sources: ProjectSources): readonly RepositoryPath[] {
  const chart = existing(sources, [within(sources.directory, "Chart.yaml")]);
  const manifest = helmManifest(sources);
  if (chart.length === 0 || manifest === undefined) return [];
  return existing(sources, [...chart, manifest, helmLockFile(manifest)]);
}

export function helmParse(sources: ProjectSources, settings: ManagerSettings): ParsedProject {
  const broken: BrokenFiles = [];
  const file = helmManifest(sources);
  const text = file === undefined ? undefined : sources.files.get(file);
  if (file === undefined || text === undefined) return { dependencies: [], runtime: {}, broken };
  const found = readOrReport(file, broken, () => chartDependencies(file, text)) ?? [];
  const lockFile = helmLockFile(file);
  const lock = sources.files.get(lockFile);
  const locked =
    lock === undefined
      ? undefined
      : readOrReport(lockFile, broken, () => lockedVersions(lockFile, lock, found));
  const groups = Map.groupBy(
    found.map((each, index) => ({ each, current: locked?.[index] })),
    ({ each }) => keyOf(each),
  );
  const dependencies = [...groups].map(([key, group]): Dependency => {
    const [{ each, current }] = group as [(typeof group)[number], ...typeof group];
    const { name, repository } = each;
    const requirement = each.version?.text ?? "";
    const { origin, extra } = chartOrigin(each, settings);
    return {
      id: `${name}@${repository}@${requirement}`,
      name,
      origin,
      declarations: group.flatMap(({ each: { version } }) =>
        version
          ? [
              {
                ...{ file, range: version.range, requirement: version.text },
                ...{ section: "dependencies", development: false },
              },
            ]
          : [],
      ),
      development: false,
      current: current ?? (helmVersioning.isVersion(requirement) ? requirement : undefined),
      extra: { ...extra, key },
      ...(current === undefined ? {} : { lockedBy: lockFile }),
    };
  });
  return { dependencies, runtime: {}, broken };
}

export interface ChartSource {
  readonly origin: DependencyOrigin;
  readonly extra: Readonly<Record<string, string>>;
}

/** Where a chart's versions are, of a chart that has one. */
export function chartOrigin(
  { name, repository, version }: Omit<ChartDependency, "fields">,
  settings: ManagerSettings,
): ChartSource {
  const none = (why: string): ChartSource => ({ origin: { kind: "none", why }, extra: {} });
  if (repository === "") return none(`${name} is a chart in the directory charts.`);
  if (repository.startsWith("file://")) return none(`${name} is a local chart.`);
  if (version === undefined) return none(`${name} has no version that can be edited.`);
  const [, alias] = /^(?:@|alias:)(.+)$/.exec(repository) ?? [];
  const configured = configuredUrl(
    settings,
    "helm",
    (scope) => scope === repository || (alias !== undefined && scope === `@${alias}`),
  );
  const url = configured ?? repository;
  const [, host = "", path = ""] = /^oci:\/\/([^/]+)\/?(.*)$/.exec(url) ?? [];
  if (host !== "") return ociSource(host, [path.replace(/\/+$/, ""), name], settings);
  if (/^https?:\/\//.test(url))
    return { origin: { kind: "registry", url: withoutSlash(url) }, extra: {} };
  return none(
    alias === undefined
      ? `${name} is in a repository of an unknown kind.`
      : `${name} is in the repository @${alias}, which no \`registry "helm"\` block names in its \`scope\`.`,
  );
}

const ociSource = (
  host: string,
  path: readonly string[],
  settings: ManagerSettings,
): ChartSource => ({
  origin: {
    kind: "registry",
    url: imageRegistry(
      /^((index|registry-1)\.)?docker\.io$/.test(host) ? undefined : host,
      settings,
    ),
  },
  extra: { repository: path.filter((part) => part !== "").join("/") },
});
