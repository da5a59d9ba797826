/** The files of one block while they are watched: what each sets, the last good of a broken one, and what is in force. */
import { matchesGlob } from "node:path";
import type { FileSet, WatchedFile } from "reeve/plugin";
import { documentOf } from "../document.js";
import { dialectOf } from "../read/dialect.js";
import type { Finding } from "../read/finding.js";
import type { Source } from "../source.js";
import { effective, type Layer, type Setting } from "./effective.js";

/** A file as it is now. */
export interface Followed {
  readonly path: string;
  readonly hash: string;
  readonly origin: "file" | "workspace";
  /** The place of its pattern among those of its origin: the last that fits. */
  readonly rank: number;
  /** What it was understood with: the same bytes mean the same only to the same source. */
  readonly source: Source;
  /** Its text; empty where it cannot be read. */
  readonly text: string;
  readonly findings: readonly Finding[];
  /** `last_good`: it is broken, and what it said before is in force. */
  readonly state: "good" | "last_good" | "broken" | "missing";
  /** What it contributes. */
  readonly values: Readonly<Record<string, unknown>>;
  /** Whether it is broken as a text, as files are while they are being written. */
  readonly torn: boolean;
}

export function follow(
  source: Source,
  { files }: FileSet,
  before: ReadonlyMap<string, Followed>,
): ReadonlyMap<string, Followed> {
  return new Map(
    files.map((file) => {
      const known = before.get(file.path);
      const isSame = known?.source === source && file.hash !== "" && known.hash === file.hash;
      return [file.path, isSame ? known : followed(source, file, known)] as const;
    }),
  );
}

function followed(source: Source, file: WatchedFile, before: Followed | undefined): Followed {
  const { checker, block } = source;
  const { path, hash, error } = file;
  const kept =
    before && (before.state === "good" || before.state === "last_good")
      ? ({ state: "last_good", values: before.values } as const)
      : ({ state: "broken", values: {} } as const);
  const common = { path, hash, source, ...placeIn(source, path) };
  if (error === "not found") {
    return { ...common, text: "", findings: [], state: "missing", values: {}, torn: false };
  }
  if (error !== undefined) {
    const message = `the file ${error.startsWith("is ") ? error : `cannot be read: ${error}`}`;
    const finding: Finding = { severity: "error", code: "unreadable", message };
    return { ...common, text: "", findings: [finding], torn: false, ...kept };
  }
  const dialect = block.values.dialect ?? dialectOf(path);
  const { text, findings, values, readable } = documentOf(path, file.content, dialect, checker);
  if (values) return { ...common, text, findings, state: "good", values, torn: false };
  return { ...common, text, findings, torn: !readable, ...kept };
}

function placeIn({ files, workspace }: Source, path: string): Pick<Followed, "origin" | "rank"> {
  const rankIn = (patterns: readonly string[]): number =>
    patterns.findLastIndex((pattern) => matches(pattern, path));
  const rank = rankIn(workspace);
  return rank >= 0 ? { origin: "workspace", rank } : { origin: "file", rank: rankIn(files) };
}

/** In the order in which they win: by the place of their pattern, then by path. Files come in the order of their paths. */
function layersIn(
  files: ReadonlyMap<string, Followed>,
  origin: "file" | "workspace",
): readonly Layer[] {
  const byRank = new Map<number, Layer[]>();
  for (const file of files.values()) {
    if (file.origin !== origin) continue;
    const { path, values, rank } = file;
    const layers = byRank.get(rank);
    if (layers) layers.push({ origin, path, values });
    else byRank.set(rank, [{ origin, path, values }]);
  }
  return [...byRank].sort(([a], [b]) => a - b).flatMap(([, layers]) => layers);
}

export const layersOf = (
  source: Source,
  files: ReadonlyMap<string, Followed>,
): readonly Layer[] => [
  ...layersIn(files, "file"),
  ...layersIn(files, "workspace"),
  { origin: "override", values: source.block.values.override },
];

export const settingsOf = (
  source: Source,
  files: ReadonlyMap<string, Followed>,
): readonly Setting[] => effective(source.checker.server, layersOf(source, files));

/** A path is its own pattern, whatever characters are in it. */
export const matches = (pattern: string, path: string): boolean =>
  pattern === path || matchesGlob(path, pattern);
