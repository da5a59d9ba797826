/** The files of one block while they are watched: what each sets, the last good of a broken one, and what is in force. */
import { matchesGlob } from "node:path";
import type { FileSet, WatchedFile } from "reeve/plugin";
import { documentOf } from "../document.js";
import { type Dialect, dialectOf } from "../read/dialect.js";
import type { Source } from "../server-schema.js";
import { type FindingView, toldFinding } from "./api.js";
import { effective, type InForce, inForce, type Setting } from "./effective.js";
import type { Layer } from "./layer.js";
import type { LayerStack } from "./layer-stack.js";

/** What the bytes of a file mean to a source; shared by files with the same bytes. */
interface Meaning {
  readonly findings: readonly FindingView[];
  /** `undefined` while it is broken. */
  readonly values: Layer["values"] | undefined;
  /** Whether it is broken as a text, as files are while they are being written. */
  readonly torn: boolean;
}

/** A file as it is now. */
export interface FileState extends Layer, Omit<Meaning, "values"> {
  readonly path: string;
  readonly hash: string;
  readonly origin: "file" | "workspace";
  /** The place of its pattern among those of its origin: the last that fits. */
  readonly rank: number;
  /** `last_good`: it is broken, and what it said before is in force. */
  readonly state: "good" | "last_good" | "broken" | "missing";
}

/** All files of a block, understood. */
export interface Following {
  /** What they were understood with: the same bytes mean the same only to the same source. */
  readonly source: Source | undefined;
  readonly set: FileSet;
  /** In the order of the set. */
  readonly files: readonly FileState[];
}

export const nothing: Following = { source: undefined, set: { files: [] }, files: [] };

/** What is the same as before is not looked at. */
export function follow(source: Source, set: FileSet, before: Following): Following {
  const reader = new Reader(source, before);
  const isAlike = before.source === source && before.set.files.length === set.files.length;
  const files = isAlike ? before.files.slice() : new Array<FileState>(set.files.length);
  for (let index = 0; index < files.length; index += 1) {
    const file = set.files[index] as WatchedFile;
    if (!isAlike || before.set.files[index] !== file) files[index] = reader.followed(file, index);
  }
  return { source, set, files };
}

class Reader {
  readonly #source: Source;
  readonly #before: Following;
  /** By the hash of the bytes. */
  readonly #meanings = new Map<Dialect, Map<string, Meaning>>();
  #byPath: ReadonlyMap<string, FileState> | undefined;

  constructor(source: Source, before: Following) {
    this.#source = source;
    this.#before = before;
  }

  followed(file: WatchedFile, index: number): FileState {
    const { source, files } = this.#before;
    const isOurs = source === this.#source;
    const there = files[index];
    const known = there?.path === file.path ? there : this.#known(file.path);
    return isOurs && file.hash !== "" && known?.hash === file.hash
      ? known
      : this.#understood(file, known);
  }

  #known(path: string): FileState | undefined {
    this.#byPath ??= new Map(this.#before.files.map((file) => [file.path, file]));
    return this.#byPath.get(path);
  }

  #understood(file: WatchedFile, before: FileState | undefined): FileState {
    const { path, hash, error } = file;
    const { origin, rank } = placeIn(this.#source, path);
    if (error === "not found") {
      const [findings, values] = [NONE, NOTHING];
      return { path, hash, origin, rank, findings, torn: false, state: "missing", values };
    }
    const meaning = error === undefined ? this.#meaning(file) : refused(error);
    const { findings, torn } = meaning;
    const wasGood = before?.state === "good" || before?.state === "last_good";
    const state = meaning.values ? "good" : wasGood ? "last_good" : "broken";
    const values = meaning.values ?? (wasGood ? before.values : NOTHING);
    return { path, hash, origin, rank, findings, torn, state, values };
  }

  #meaning({ path, hash, content }: WatchedFile): Meaning {
    const dialect: Dialect = this.#source.block.values.dialect ?? dialectOf(path);
    const meanings = this.#meanings.get(dialect) ?? new Map<string, Meaning>();
    this.#meanings.set(dialect, meanings);
    const known = meanings.get(hash);
    if (known) return known;
    const { text, findings, values, readable } = documentOf(
      path,
      content,
      dialect,
      this.#source.checker,
    );
    const meaning: Meaning = {
      findings: findings.length === 0 ? NONE : findings.map((each) => toldFinding(each, text)),
      values,
      torn: !values && !readable,
    };
    meanings.set(hash, meaning);
    return meaning;
  }
}

const NONE: readonly FindingView[] = [];
const NOTHING: Layer["values"] = {};

function refused(error: string): Meaning {
  const message = `the file ${error.startsWith("is ") ? error : `cannot be read: ${error}`}`;
  return {
    findings: [{ severity: "error", code: "unreadable", message }],
    values: undefined,
    torn: false,
  };
}

function placeIn({ files, workspace }: Source, path: string): Pick<FileState, "origin" | "rank"> {
  // What is watched matches something that is watched.
  if (files.length === 1 && workspace.length === 0) return { origin: "file", rank: 0 };
  const rankIn = (patterns: readonly string[]): number =>
    patterns.findLastIndex((pattern) => matches(pattern, path));
  const rank = rankIn(workspace);
  return rank >= 0 ? { origin: "workspace", rank } : { origin: "file", rank: rankIn(files) };
}

/** From the lowest to the highest: by the place of their pattern, then by path. */
function layersIn(source: Source, files: readonly FileState[]): readonly Layer[] {
  const weight = ({ origin, rank }: FileState): number =>
    origin === "file" ? rank : source.files.length + rank;
  // Files come in the order of their paths.
  const isLevel = source.files.length + source.workspace.length === 1;
  const ordered = isLevel ? files : files.toSorted((a, b) => weight(a) - weight(b));
  return [...ordered, { origin: "override", values: source.block.values.override }];
}

/** As plain data. */
export const layersOf = (source: Source, files: readonly FileState[]): readonly Layer[] =>
  layersIn(source, files).map(({ origin, path, values }) => ({
    origin,
    ...(path === undefined ? {} : { path }),
    values,
  }));

export const settingsOf = (source: Source, files: readonly FileState[]): readonly Setting[] =>
  effective(source.checker.server, layersIn(source, files));

export const inForceOf = (
  source: Source,
  files: readonly FileState[],
  pile?: LayerStack,
): readonly InForce[] => inForce(source.checker.server, layersIn(source, files), pile);

/** A path is its own pattern, whatever characters are in it. */
export const matches = (pattern: string, path: string): boolean =>
  pattern === path || matchesGlob(path, pattern);
