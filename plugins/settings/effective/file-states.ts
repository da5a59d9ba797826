/** The files of one block while they are watched: what each sets, the last good of a broken one, and what is in force. */
import { matchesGlob } from "node:path";
import type { FileSet, WatchedFile } from "reeve/plugin";
import { openDocument } from "../document.js";
import { dialectOf, type JsonDialect } from "../read/dialect.js";
import { type FindingView, findingView } from "../read/finding.js";
import type { SettingsSource } from "../server-schema.js";
import { type EffectiveSetting, effective, type InForce, inForce } from "./effective.js";
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
export interface FileStates {
  /** What they were understood with: the same bytes mean the same only to the same source. */
  readonly source: SettingsSource | undefined;
  readonly set: FileSet;
  /** In the order of the set. */
  readonly files: readonly FileState[];
}

export const nothing: FileStates = { source: undefined, set: { files: [] }, files: [] };

/** What is the same as before is not looked at. */
export function updateStates(source: SettingsSource, set: FileSet, before: FileStates): FileStates {
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
  readonly #source: SettingsSource;
  readonly #before: FileStates;
  /** By the hash of the bytes. */
  readonly #meanings = new Map<JsonDialect, Map<string, Meaning>>();
  #byPath: ReadonlyMap<string, FileState> | undefined;

  constructor(source: SettingsSource, before: FileStates) {
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
    const { origin, rank } = patternRank(this.#source, path);
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
    const dialect: JsonDialect = this.#source.block.values.dialect ?? dialectOf(path);
    const meanings = this.#meanings.get(dialect) ?? new Map<string, Meaning>();
    this.#meanings.set(dialect, meanings);
    const known = meanings.get(hash);
    if (known) return known;
    const { text, findings, values, readable } = openDocument(
      path,
      content,
      dialect,
      this.#source.checker,
    );
    const meaning: Meaning = {
      findings: findings.length === 0 ? NONE : findings.map((each) => findingView(each, text)),
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

function patternRank(
  { files, workspace }: SettingsSource,
  path: string,
): Pick<FileState, "origin" | "rank"> {
  // What is watched matches something that is watched.
  if (files.length === 1 && workspace.length === 0) return { origin: "file", rank: 0 };
  const rankIn = (patterns: readonly string[]): number =>
    patterns.findLastIndex((pattern) => matchesPattern(pattern, path));
  const rank = rankIn(workspace);
  return rank >= 0 ? { origin: "workspace", rank } : { origin: "file", rank: rankIn(files) };
}

/** From the lowest to the highest: by the place of their pattern, then by path. */
function layersIn(source: SettingsSource, files: readonly FileState[]): readonly Layer[] {
  const weight = ({ origin, rank }: FileState): number =>
    origin === "file" ? rank : source.files.length + rank;
  // Files come in the order of their paths.
  const isLevel = source.files.length + source.workspace.length === 1;
  const ordered = isLevel ? files : files.toSorted((a, b) => weight(a) - weight(b));
  const override = Object.fromEntries(source.override.map(({ key, value }) => [key, value]));
  return [...ordered, { origin: "override", values: override }];
}

/** As plain data. */
export const layersOf = (source: SettingsSource, files: readonly FileState[]): readonly Layer[] =>
  layersIn(source, files).map(({ origin, path, values }) => ({
    origin,
    ...(path === undefined ? {} : { path }),
    values,
  }));

export const effectiveSettings = (
  source: SettingsSource,
  files: readonly FileState[],
): readonly EffectiveSetting[] => effective(source.checker.server, layersIn(source, files));

export const inForceOf = (
  source: SettingsSource,
  files: readonly FileState[],
  layerStack?: LayerStack,
): readonly InForce[] => inForce(source.checker.server, layersIn(source, files), layerStack);

/** A path is its own pattern, whatever characters are in it. */
export const matchesPattern = (pattern: string, path: string): boolean =>
  pattern === path || matchesGlob(path, pattern);
