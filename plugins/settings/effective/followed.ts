/** The files of one block while they are watched: what each sets, the last good of a broken one, and what is in force. */
import { matchesGlob } from "node:path";
import type { FileSet, WatchedFile } from "reeve/plugin";
import { documentOf } from "../document.js";
import { type Dialect, dialectOf } from "../read/dialect.js";
import type { Source } from "../source.js";
import { effective, type InForce, inForce, type Layer, type Setting } from "./effective.js";
import { type ToldFinding, toldFinding } from "./told.js";

/** What the bytes of a file mean to a source; shared by files with the same bytes. */
interface Meaning {
  readonly findings: readonly ToldFinding[];
  /** `undefined` while it is broken. */
  readonly values: Layer["values"] | undefined;
  /** Whether it is broken as a text, as files are while they are being written. */
  readonly torn: boolean;
}

/** A file as it is now. */
export interface Followed extends Layer, Omit<Meaning, "values"> {
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
  readonly files: readonly Followed[];
}

export const nothing: Following = { source: undefined, set: { files: [] }, files: [] };

/** What is the same as before is not looked at. */
export function follow(source: Source, set: FileSet, before: Following): Following {
  const reader = new Reader(source, before);
  return { source, set, files: set.files.map((file, index) => reader.followed(file, index)) };
}

class Reader {
  readonly #source: Source;
  readonly #before: Following;
  readonly #meanings = new Map<string, Meaning>();
  #byPath: ReadonlyMap<string, Followed> | undefined;

  constructor(source: Source, before: Following) {
    this.#source = source;
    this.#before = before;
  }

  followed(file: WatchedFile, index: number): Followed {
    const { source, set, files } = this.#before;
    const isOurs = source === this.#source;
    const there = files[index];
    if (there && isOurs && set.files[index] === file) return there;
    const known = there?.path === file.path ? there : this.#known(file.path);
    return isOurs && file.hash !== "" && known?.hash === file.hash
      ? known
      : this.#understood(file, known);
  }

  #known(path: string): Followed | undefined {
    this.#byPath ??= new Map(this.#before.files.map((file) => [file.path, file]));
    return this.#byPath.get(path);
  }

  #understood(file: WatchedFile, before: Followed | undefined): Followed {
    const { path, hash, error } = file;
    const common = { path, hash, ...placeIn(this.#source, path) };
    if (error === "not found") {
      return { ...common, findings: NONE, torn: false, state: "missing", values: NOTHING };
    }
    const { values, findings, torn } = error === undefined ? this.#meaning(file) : refused(error);
    if (values) return { ...common, findings, torn, state: "good", values };
    return before && (before.state === "good" || before.state === "last_good")
      ? { ...common, findings, torn, state: "last_good", values: before.values }
      : { ...common, findings, torn, state: "broken", values: NOTHING };
  }

  #meaning({ path, hash, content }: WatchedFile): Meaning {
    const dialect: Dialect = this.#source.block.values.dialect ?? dialectOf(path);
    const key = `${dialect} ${hash}`;
    const known = this.#meanings.get(key);
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
    this.#meanings.set(key, meaning);
    return meaning;
  }
}

const NONE: readonly ToldFinding[] = [];
const NOTHING: Layer["values"] = {};

function refused(error: string): Meaning {
  const message = `the file ${error.startsWith("is ") ? error : `cannot be read: ${error}`}`;
  return {
    findings: [{ severity: "error", code: "unreadable", message }],
    values: undefined,
    torn: false,
  };
}

function placeIn({ files, workspace }: Source, path: string): Pick<Followed, "origin" | "rank"> {
  // What is watched matches something that is watched.
  if (files.length === 1 && workspace.length === 0) return { origin: "file", rank: 0 };
  const rankIn = (patterns: readonly string[]): number =>
    patterns.findLastIndex((pattern) => matches(pattern, path));
  const rank = rankIn(workspace);
  return rank >= 0 ? { origin: "workspace", rank } : { origin: "file", rank: rankIn(files) };
}

/** From the lowest to the highest: by the place of their pattern, then by path. */
function layersIn(source: Source, files: readonly Followed[]): readonly Layer[] {
  const weight = ({ origin, rank }: Followed): number =>
    origin === "file" ? rank : source.files.length + rank;
  const [first] = files;
  const isLevel = files.every((each) => first && weight(each) === weight(first));
  // Files come in the order of their paths.
  const ordered = isLevel ? files : files.toSorted((a, b) => weight(a) - weight(b));
  return [...ordered, { origin: "override", values: source.block.values.override }];
}

/** As plain data. */
export const layersOf = (source: Source, files: readonly Followed[]): readonly Layer[] =>
  layersIn(source, files).map(({ origin, path, values }) => ({
    origin,
    ...(path === undefined ? {} : { path }),
    values,
  }));

export const settingsOf = (source: Source, files: readonly Followed[]): readonly Setting[] =>
  effective(source.checker.server, layersIn(source, files));

export const inForceOf = (source: Source, files: readonly Followed[]): readonly InForce[] =>
  inForce(source.checker.server, layersIn(source, files));

/** A path is its own pattern, whatever characters are in it. */
export const matches = (pattern: string, path: string): boolean =>
  pattern === path || matchesGlob(path, pattern);
