/**
 * Which sandboxed commands ran when, and where they could write: a later run can thus say that a file it uses was
 * changed by one. Kept in a directory that no command sees.
 */
import {
  appendFileSync,
  readFileSync,
  realpathSync,
  renameSync,
  type Stats,
  statSync,
  writeFileSync,
} from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isWithin, makePrivate } from "../engine/paths.js";
import { bornAt } from "../engine/process-id.js";

/** A command that starts. */
export interface RecordedRun {
  /** What it runs, for people. */
  readonly label: string;
  /** Directories and files that it can write. */
  readonly writable: readonly string[];
  /** Files that the run itself uses, and directories, which the command cannot change. */
  readonly kept: readonly string[];
  /** What `changed` said about those files. */
  readonly changed?: readonly ChangedFile[];
}

/** The command that changed a file. */
interface Culprit {
  readonly label: string;
  /** When the command started, in milliseconds since the epoch. */
  readonly since: number;
}

export interface ChangedFile extends Culprit {
  readonly path: string;
  /** The state of the file that was found. */
  readonly stamp: string;
}

interface RunStart extends Pick<RecordedRun, "label" | "writable" | "kept"> {
  readonly id: string;
  /** The process that runs it, and when that started. */
  readonly owner: readonly [pid: number, born: string];
  readonly since: number;
  /** The state of the kept files at the start. */
  readonly used: Readonly<Record<string, string>>;
  /** Kept files that were changed already. */
  readonly found: Readonly<Record<string, Culprit>>;
}

interface RunEnd {
  readonly id: string;
  readonly until: number;
  /** The state of the kept files at the end. Absent if the run was killed, like `changed`. */
  readonly left?: Readonly<Record<string, string>>;
  /** Kept files that something else than the run has written. */
  readonly changed?: readonly string[];
}

type Run = RunStart & Partial<RunEnd>;

/** Older records go first. */
const largestFile = 64 * 1024;
/** The kernel's time of a change may be this much older than the clock. */
const tickMs = 20;
const longestLabel = 80;

export class RunRecords {
  readonly #path: string | undefined;
  readonly #others: readonly string[];

  /**
   * Creates the directory, so that it can be hidden.
   * @param directory absent, or not writable: nothing is recorded
   * @param others directories of further records to read
   */
  constructor(directory: string | undefined, others: readonly string[] = []) {
    this.#path = directory && makePrivate(directory) ? fileIn(directory) : undefined;
    this.#others = others.map(fileIn);
  }

  get directory(): string | undefined {
    return this.#path && dirname(this.#path);
  }

  /** Call before the command starts; the result before its end is reported, with the files that changed meanwhile. */
  begin({
    label,
    writable,
    kept,
    changed: earlier = [],
  }: RecordedRun): (changed: readonly string[]) => void {
    const id = `${process.pid}-${Date.now()}-${nextNumber()}`;
    const files = kept.map(real);
    const owner = [process.pid, bornAt(process.pid)] as const;
    const shown = label.length > longestLabel ? `${label.slice(0, longestLabel)}…` : label;
    const roots = [...new Set(writable.map(real))];
    const used = stampsOf(files);
    const found = Object.fromEntries(
      earlier.map(({ path, label, since }) => [real(path), { label, since }]),
    );
    const started = { id, owner, since: Date.now(), label: shown, writable: roots };
    this.#add({ ...started, kept: files, used, found });
    return (touched) => {
      const paths = touched.map(real);
      const changed = files.filter((path) => paths.some((at) => isWithin(path, at)));
      this.#add({ id, until: Date.now(), left: stampsOf(files), changed });
    };
  }

  /** Those of the files that an earlier command changed, or may have: it could write there when they changed. */
  changed(files: readonly string[]): ChangedFile[] {
    if (files.length === 0) return [];
    const runs = this.#runs();
    return files.flatMap((path) => {
      const at = real(path);
      const found = statSync(at, { throwIfNoEntry: false });
      const by = found && culprit(runs, at, found);
      return by && found ? { path, label: by.label, since: by.since, stamp: stamp(found) } : [];
    });
  }

  /** Whether an earlier command could write in the directory. */
  mayHaveChanged(directory: string): boolean {
    const at = real(directory);
    return this.#runs().some(({ writable }) =>
      writable.some((root) => isWithin(at, root) || isWithin(root, at)),
    );
  }

  #runs(): Run[] {
    const runs = new Map<string, Run>();
    const files = [...(this.#path ? [this.#path] : []), ...this.#others];
    for (const entry of files.flatMap(entriesOf)) {
      if ("until" in entry) {
        const started = runs.get(entry.id);
        if (started) runs.set(entry.id, { ...started, ...entry });
      } else runs.set(entry.id, entry);
    }
    for (const [id, run] of runs) {
      if (run.until !== undefined || isRunning(run.owner)) continue;
      // It was killed some time before now.
      const ended = { id, until: Date.now() };
      this.#add(ended);
      runs.set(id, { ...run, ...ended });
    }
    return [...runs.values()];
  }

  #add(entry: RunStart | RunEnd): void {
    if (this.#path === undefined) return;
    try {
      this.#trim(this.#path);
      appendFileSync(this.#path, `${JSON.stringify(entry)}\n`, { mode: 0o600 });
    } catch {
      // The next run knows less; this one goes on.
    }
  }

  #trim(path: string): void {
    if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) < largestFile) return;
    const lines = readFileSync(path, "utf8").split("\n");
    const kept = lines.slice(Math.floor(lines.length / 2)).join("\n");
    const made = `${path}.${process.pid}`;
    writeFileSync(made, kept, { mode: 0o600 });
    renameSync(made, path);
  }
}

/** Where `awf` keeps its records; undefined where it would write into another user's home. */
export function recordsDirectory(
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string | undefined {
  const { XDG_STATE_HOME: chosen, HOME: home = homedir() } = environment;
  const state = chosen?.startsWith("/") ? chosen : join(home, ".local/state");
  return ownerOf(state) === process.geteuid?.() ? join(state, "reeve/awf") : undefined;
}

function ownerOf(path: string): number | undefined {
  const found = statSync(path, { throwIfNoEntry: false });
  return found || path === "/" ? found?.uid : ownerOf(dirname(path));
}

function culprit(runs: readonly Run[], path: string, found: Stats): Culprit | undefined {
  const now = stamp(found);
  const user = runs.findLast(({ left }) => left?.[path] === now);
  if (user) return user.changed?.includes(path) ? user : user.found[path];
  const couldWrite = ({ writable, kept }: Run) =>
    writable.some((root) => isWithin(path, root)) && !kept.some((each) => isWithin(path, each));
  const changedAt = found.ctimeMs;
  const during = runs.findLast(
    (run) =>
      couldWrite(run) &&
      changedAt >= run.since - tickMs &&
      changedAt <= (run.until ?? Number.POSITIVE_INFINITY),
  );
  if (during) return during;
  // An older file that a rename of a directory brought here.
  const last = runs.findLast(({ used }) => path in used);
  if (last === undefined || last.used[path] === now || changedAt >= last.since) return undefined;
  return runs.findLast((run) => couldWrite(run) && (run.until ?? Date.now()) >= last.since);
}

const fileIn = (directory: string): string => join(directory, "runs.jsonl");

const stamp = ({ dev, ino, size, mtimeMs, ctimeMs }: Stats): string =>
  [dev, ino, size, mtimeMs, ctimeMs].join(" ");

function stampsOf(files: readonly string[]): Record<string, string> {
  const found = files.flatMap((path) => {
    const stats = statSync(path, { throwIfNoEntry: false });
    return stats ? [[path, stamp(stats)] as const] : [];
  });
  return Object.fromEntries(found);
}

/** The path without links, of what exists of it. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

function entriesOf(path: string): Array<RunStart | RunEnd> {
  let text = "";
  try {
    text = readFileSync(path, "utf8");
  } catch {
    return [];
  }
  return text.split("\n").flatMap((line) => {
    try {
      return JSON.parse(line) as RunStart | RunEnd;
    } catch {
      // Cut off by a full disk, or by trimming.
      return [];
    }
  });
}

function isRunning([pid, born]: readonly [number, string]): boolean {
  const now = bornAt(pid);
  return now !== "" && now === born;
}

let last = 0;
function nextNumber(): number {
  last += 1;
  return last;
}
