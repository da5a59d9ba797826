/** The files of one block while they are watched: what each sets, the last good of a broken one, and what is in force. */
import { matchesGlob } from "node:path";
import type { FileSet, WatchedFile } from "reeve/plugin";
import { type Document, documentOf } from "../document.js";
import { dialectOf } from "../read/dialect.js";
import type { Finding } from "../read/finding.js";
import type { Source } from "../source.js";
import { effective, type Layer, type Setting } from "./effective.js";

/** A file as it is now. */
export interface Followed {
  readonly path: string;
  readonly hash: string;
  readonly origin: "file" | "workspace";
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
  const inWorkspace = (path: string): boolean =>
    source.workspace.some((pattern) => matches(pattern, path));
  return new Map(
    files.map((file) => {
      const origin = inWorkspace(file.path) ? "workspace" : "file";
      return [file.path, followed(source, file, origin, before.get(file.path))] as const;
    }),
  );
}

function followed(
  { checker, block }: Source,
  file: WatchedFile,
  origin: "file" | "workspace",
  before: Followed | undefined,
): Followed {
  const { path, hash, error } = file;
  const lastGood = before && before.state !== "missing" ? before.values : undefined;
  const kept =
    lastGood && before?.state !== "broken"
      ? ({ state: "last_good", values: lastGood } as const)
      : ({ state: "broken", values: {} } as const);
  const common = { path, hash, origin };
  if (error === "not found") {
    return { ...common, text: "", findings: [], state: "missing", values: {}, torn: false };
  }
  if (error !== undefined) {
    const finding: Finding = {
      severity: "error",
      code: "unreadable",
      message: `the file ${error.startsWith("is ") ? error : `cannot be read: ${error}`}`,
    };
    return { ...common, text: "", findings: [finding], torn: false, ...kept };
  }
  const dialect = block.values.dialect ?? dialectOf(path);
  const document: Document = documentOf(path, file.content, dialect, checker);
  const { text, findings, values, readable } = document;
  if (values) return { ...common, text, findings, state: "good", values, torn: false };
  return { ...common, text, findings, torn: !readable, ...kept };
}

/** In the order in which they win: by the place of their pattern, then by path. */
export function layersOf(source: Source, files: ReadonlyMap<string, Followed>): readonly Layer[] {
  const inOrder = (patterns: readonly string[], origin: "file" | "workspace"): readonly Layer[] => {
    const own = [...files.values()].filter((file) => file.origin === origin);
    const rank = (path: string): number =>
      patterns.findLastIndex((pattern) => matches(pattern, path));
    return own
      .sort((a, b) => rank(a.path) - rank(b.path) || (a.path < b.path ? -1 : 1))
      .map(({ path, values }) => ({ origin, path, values }));
  };
  return [
    ...inOrder(source.files, "file"),
    ...inOrder(source.workspace, "workspace"),
    { origin: "override", values: source.block.values.override },
  ];
}

export const settingsOf = (
  source: Source,
  files: ReadonlyMap<string, Followed>,
): readonly Setting[] => effective(source.checker.server, layersOf(source, files));

/** A path is its own pattern, whatever characters are in it. */
export const matches = (pattern: string, path: string): boolean =>
  pattern === path || matchesGlob(path, pattern);
