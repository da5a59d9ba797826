/** `Chart.lock`: a version for each dependency, and a digest over both lists. */
import { createHash } from "node:crypto";
import { isMap, isSeq } from "yaml";
import { replaced, type TextRange } from "../../text/text.js";
import { readYaml, scalarText } from "../../text/yaml.js";
import type { RepositoryPath } from "../contract.js";
import { type ChartDependency, chartDependencies } from "./manifest/read.js";

interface LockedChart {
  readonly name: string;
  readonly repository: string;
  readonly version: string;
  readonly range: TextRange;
}

interface ChartLock {
  readonly charts: readonly LockedChart[];
  readonly digest: { readonly value: string; readonly range: TextRange } | undefined;
}

/** @throws UpdatesError `manifest_unreadable` */
function readLock(file: RepositoryPath, text: string): ChartLock {
  const { contents } = readYaml(file, text);
  if (!isMap(contents)) return { charts: [], digest: undefined };
  const list = contents.get("dependencies");
  const charts = (isSeq(list) ? list.items : []).flatMap((item): readonly LockedChart[] => {
    if (!isMap(item)) return [];
    const [name, repository = ""] = [item.get("name"), item.get("repository")];
    const version = scalarText(item.get("version", true), text);
    if (typeof name !== "string" || typeof repository !== "string" || !version) return [];
    return [{ name, repository, version: version.value, range: version.range }];
  });
  return { charts, digest: scalarText(contents.get("digest", true), text) };
}

const areInOrder = (
  dependencies: readonly ChartDependency[],
  charts: readonly LockedChart[],
): boolean =>
  charts.length === dependencies.length &&
  charts.every(({ name }, index) => dependencies[index]?.name === name);

/** By the position of the dependency; none where the file is not about them. @throws UpdatesError `manifest_unreadable` */
export function lockedVersions(
  file: RepositoryPath,
  text: string,
  dependencies: readonly ChartDependency[],
): readonly string[] {
  const { charts } = readLock(file, text);
  return areInOrder(dependencies, charts) ? charts.map(({ version }) => version) : [];
}

interface LockMove {
  readonly file: RepositoryPath;
  /** The manifest before and after the update. */
  readonly before: string;
  readonly after: string;
  readonly lockFile: RepositoryPath;
  readonly lock: string;
  /** The new version of a dependency of `before`. */
  readonly moved: (dependency: ChartDependency) => string | undefined;
}

/** Undefined where the digest of the present files is not the one that Helm computes. @throws UpdatesError */
export function movedLock(move: LockMove): string | undefined {
  const dependencies = chartDependencies(move.file, move.before);
  const { charts, digest } = readLock(move.lockFile, move.lock);
  if (!digest || !areInOrder(dependencies, charts)) return undefined;
  if (digest.value !== digestOf(dependencies, charts)) return undefined;
  const moved = charts.map((chart, index) => {
    const dependency = dependencies[index];
    return { ...chart, version: (dependency && move.moved(dependency)) ?? chart.version };
  });
  const next = digestOf(chartDependencies(move.file, move.after), moved);
  return replaced(move.lock, [
    ...moved.map(({ range, version }) => ({ range, text: version })),
    { range: digest.range, text: next },
  ]);
}

/** In this order, and without those that are empty. */
const FIELDS = [
  ...["name", "version", "repository", "condition", "tags", "enabled", "import-values", "alias"],
] as const;

/** SHA-256 of both lists as Go writes them in JSON. */
export function digestOf(
  dependencies: readonly ChartDependency[],
  charts: readonly Omit<LockedChart, "range">[],
): string {
  const required = dependencies.map(({ fields, repository, version }) => {
    const known = { ...fields, repository, version: version?.text };
    return Object.fromEntries(
      FIELDS.map((field) => [field, (known as Record<string, unknown>)[field]] as const).filter(
        ([field, value]) => field === "repository" || !isEmpty(value),
      ),
    );
  });
  const locked = charts.map(({ name, version, repository }) => ({ name, version, repository }));
  const json = JSON.stringify([required, locked]).replace(
    /[<>&\u2028\u2029]/g,
    (sign) => `\\u${sign.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
  return `sha256:${createHash("sha256").update(json).digest("hex")}`;
}

const isEmpty = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  value === false ||
  (Array.isArray(value) && value.length === 0);
