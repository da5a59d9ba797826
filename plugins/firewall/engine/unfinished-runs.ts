/**
 * Runs whose changes are not taken over: the private copies of their commands, and records of what was there before. They
 * lie in a directory that is the user's alone and that no command sees, for a record says which files of the host change.
 */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { FirewallError, systemCode } from "../errors.js";
import { type ChangeRecord, commitChanges, reviewHost } from "./changes.js";
import type { Commit } from "./home/commit.js";
import { changesIn } from "./home/keeping.js";
import { keepApart, removeOld } from "./not-kept.js";
import { makePrivate, removeTree } from "./paths.js";
import { type ProcessId, processId, stateOf } from "./process-id.js";

/** What became of a run's changes. */
export interface RunCommit extends Commit {
  /** Where the paths of `held` are for a while, as the command left them. */
  readonly heldIn?: string | undefined;
}

/** A run of this process. */
export interface UnfinishedRun {
  readonly id: string;
  /** Private; for what the command sees instead of the host's files. */
  readonly directory: string;
  /** Call before the command starts. */
  save(record: ChangeRecord): void;
  /** Takes the changes over, once every process of the command has ended. */
  commit(): Promise<RunCommit>;
  /** Removes it, unless changes were saved that are not taken over. */
  [Symbol.dispose](): void;
}

/** A run of an earlier process. */
export interface KilledRun {
  readonly id: string;
  /** What it ran, for people. */
  readonly label: string;
  /** Milliseconds since the epoch. */
  readonly since: number;
  /** `unknown` where another machine or container shares the directory. */
  readonly state: "ended" | "unknown";
  /** What waits to be taken over: absolute paths of the host. */
  readonly changed: readonly string[];
}

interface Note extends Pick<KilledRun, "label" | "since"> {
  readonly format: 1;
  readonly owner: ProcessId;
  /** Absent before the command starts. */
  readonly record?: ChangeRecord;
}

interface NotedRun {
  readonly id: string;
  readonly directory: string;
  readonly note: Note;
}

const noteFile = "run.json";
/** Milliseconds after which a run certainly has its note. */
const startMs = 3_600_000;
/** Bytes. */
const largestNote = 64 * 1024 * 1024;

export class UnfinishedRuns {
  readonly #directory: string;

  /** An existing directory. @throws {FirewallError} `state_not_private` if another user could write there */
  private constructor(directory: string) {
    if (!isOwn(directory, "directory"))
      throw new FirewallError(
        "state_not_private",
        `${directory} says which files a run changes, so it must be a directory that only you can open. If it is yours, run: chmod 700 ${directory}`,
      );
    this.#directory = directory;
  }

  /** Below a directory of the user's for state; undefined without one. @throws {FirewallError} `state_not_private` */
  static below(directory: string | undefined): UnfinishedRuns | undefined {
    const path = directory && join(directory, "unfinished");
    return path && makePrivate(path) ? new UnfinishedRuns(path) : undefined;
  }

  /** One that exists. @throws {FirewallError} `state_not_private` */
  static at(directory: string): UnfinishedRuns | undefined {
    return existsSync(directory) ? new UnfinishedRuns(directory) : undefined;
  }

  /** @param label what it runs, for people */
  begin(label: string): UnfinishedRun {
    const note: Note = { format: 1, label, since: Date.now(), owner: processId() };
    const id = this.#make(note.since);
    const directory = join(this.#directory, id);
    write(directory, note);
    let record: ChangeRecord | undefined;
    return {
      id,
      directory,
      save: (given) => {
        write(directory, { ...note, record: given });
        record = given;
      },
      commit: async () => {
        const done = await this.#commit(id, record);
        if (done.isComplete) record = undefined;
        return done;
      },
      [Symbol.dispose]: () => {
        if (record === undefined || changesOf(record).length === 0) removeTree(directory);
      },
    };
  }

  /**
   * What earlier runs left that waits to be taken over. Removes what does not, and moves aside what git would run of their
   * commands.
   */
  left(): readonly KilledRun[] {
    removeOld(this.#notKept, Date.now());
    return this.#noted().flatMap((noted) => {
      try {
        return leftOf(noted) ?? [];
      } catch (thrown) {
        // Another process of the user's has just dealt with it.
        if (systemCode(thrown) === "ENOENT") return [];
        throw thrown;
      }
    });
  }

  /** Takes the changes of a left run over. Undefined if there is no such run. */
  async commit(id: string): Promise<RunCommit | undefined> {
    const found = this.#noted().find((each) => each.id === id);
    if (found === undefined) return undefined;
    const { record } = found.note;
    const done = await this.#commit(id, record);
    if (done.isComplete) removeTree(found.directory);
    return done;
  }

  discard(id: string): boolean {
    const found = this.#noted().find((each) => each.id === id);
    if (found) removeTree(found.directory);
    return found !== undefined;
  }

  async #commit(id: string, record: ChangeRecord | undefined): Promise<RunCommit> {
    if (record === undefined) return nothing;
    const done = await commitChanges(record);
    if (!done.isComplete || done.held.length === 0) return done;
    return { ...done, heldIn: keepApart(this.#notKept, id, record.homes) };
  }

  get #notKept(): string {
    return join(dirname(this.#directory), "not-kept");
  }

  #make(since: number): string {
    for (let id = since; ; id += 1) {
      try {
        mkdirSync(join(this.#directory, `${id}`), { mode: 0o700 });
        return `${id}`;
      } catch (thrown) {
        if (systemCode(thrown) !== "EEXIST") throw thrown;
      }
    }
  }

  /** Oldest first. */
  #noted(): NotedRun[] {
    const ids = readdirSync(this.#directory).filter((name) => /^\d+$/.test(name));
    return ids.toSorted().flatMap((id) => {
      const directory = join(this.#directory, id);
      const isDirectory = isOwn(directory, "directory");
      const note = isDirectory ? noteIn(directory) : undefined;
      if (isDirectory && note === undefined) removeEmpty(directory);
      return note ? [{ id, directory, note }] : [];
    });
  }
}

/** Undefined if it runs, or nothing of it waits. */
function leftOf({ id, directory, note }: NotedRun): KilledRun | undefined {
  const state = stateOf(note.owner);
  if (state === "running") return undefined;
  const { label, since, record } = note;
  if (record?.isReviewed === false && state === "ended") {
    reviewHost(record);
    write(directory, { ...note, record: { ...record, isReviewed: true } });
  }
  const changed = record ? changesOf(record) : [];
  if (changed.length > 0) return { id, label, since, state, changed };
  if (state === "ended") removeTree(directory);
  return undefined;
}

/** Of a run that was killed before it had its note. */
function removeEmpty(directory: string): void {
  const found = lstatSync(directory, { throwIfNoEntry: false });
  if (!found || Date.now() - found.mtimeMs < startMs) return;
  const names = readdirSync(directory);
  if (names.length === 0 || names.join() === `${noteFile}.new`) removeTree(directory);
}

const nothing: RunCommit = { held: [], moved: [], problems: [], isComplete: true };

const changesOf = ({ homes }: ChangeRecord): readonly string[] => homes.flatMap(changesIn);

/** Complete under its name: a run can be killed at any moment. */
function write(directory: string, note: Note): void {
  const path = join(directory, noteFile);
  writeFileSync(`${path}.new`, JSON.stringify(note), { mode: 0o600 });
  renameSync(`${path}.new`, path);
}

function noteIn(directory: string): Note | undefined {
  const path = join(directory, noteFile);
  try {
    if (!isOwn(path, "file") || lstatSync(path).size > largestNote) return undefined;
    const note = JSON.parse(readFileSync(path, "utf8")) as Note;
    return note.format === 1 ? note : undefined;
  } catch {
    return undefined;
  }
}

/** Whether only this user can have made or changed it. Links lead elsewhere, and a second name may be another user's. */
function isOwn(path: string, type: "file" | "directory"): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) return false;
  const isType = type === "file" ? found.isFile() && found.nlink === 1 : found.isDirectory();
  return isType && found.uid === process.geteuid?.() && (found.mode & 0o077) === 0;
}
