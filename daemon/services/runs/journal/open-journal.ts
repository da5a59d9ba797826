/** Opens the journal beside the database that holds its rows, and compares the two: each betrays the loss of the other. */
import { randomInt } from "node:crypto";
import type { Database } from "../../store/database.js";
import { decodeChange, type RunChange } from "../run-change.js";
import type { JournalFiles } from "./files.js";
import { Journal } from "./journal.js";
import { Mark, type MarkValue, readMark } from "./mark.js";
import { type FoundJournal, type MissingRecords, readJournal } from "./read-journal.js";
import type { RecordHeader } from "./record.js";

export interface OpenJournalOptions {
  readonly files: JournalFiles;
  readonly database: Database;
  refused(thrown: Error): void;
  readonly segmentLength?: number;
}

export interface OpenedJournal {
  readonly journal: Journal;
  readonly mark: Mark;
  /** Changes that the database does not have. */
  readonly changes: readonly RunChange[];
  readonly losses: readonly Loss[];
  /** Whether the database was damaged, and the changes are all that the journal has. */
  readonly isSalvaged: boolean;
}

export interface Loss {
  /** One sentence. */
  readonly what: string;
  readonly missing: number;
  readonly runs: readonly string[];
}

/** @throws an error of the operating system */
export function openJournal(options: OpenJournalOptions): OpenedJournal {
  const { files, database, refused, segmentLength } = options;
  const stored = readMark(files);
  const row = database.row("SELECT epoch, sequence, commits FROM journal");
  const epoch = Number(row?.epoch ?? 0);
  const sequence = Math.abs(Number(row?.sequence ?? 0));
  const isSalvaged = Number(row?.sequence ?? 0) < 0;
  const applied = epoch === 0 ? undefined : { epoch, sequence };
  const found = readJournal(files, stored, applied);
  const value: MarkValue = {
    epoch: found.epoch ?? randomInt(1, 2 ** 47),
    sequence: found.acknowledged,
    commits: database.commits,
  };
  const losses = [
    ...lostCommits(stored, database.commits),
    ...lostJournal(found, stored, applied),
    ...found.missing.map(lossOf),
  ];
  const mark = new Mark(files, value);
  mark.set(value);
  const length = segmentLength === undefined ? {} : { length: segmentLength };
  return {
    journal: new Journal({ files, found, mark, refused, ...length }),
    mark,
    changes: found.records.flatMap(({ header, payload }) => {
      if (!isSalvaged && epoch === found.epoch && header.sequence <= sequence) return [];
      return payload === undefined ? withoutPayload(header) : (decodeChange(payload) ?? []);
    }),
    ...{ losses, isSalvaged },
  };
}

function lostCommits(mark: MarkValue | undefined, commits: number): readonly Loss[] {
  const count = (mark?.commits ?? 0) - commits;
  if (count <= 0) return [];
  const what = `The database is older than it was: its last ${count} commits with jobs, maps or records are missing.`;
  return [{ what, missing: count, runs: [] }];
}

/** All segments and the mark are gone, and the database knows that there were some. */
function lostJournal(
  { segments, prepared }: FoundJournal,
  mark: MarkValue | undefined,
  applied: { readonly sequence: number } | undefined,
): readonly Loss[] {
  if (mark || segments.length > 0 || prepared !== undefined || !applied?.sequence) return [];
  const what = `The journal is missing: changes of runs after number ${applied.sequence} cannot be proved to be complete.`;
  return [{ what, missing: 0, runs: [] }];
}

const words: Readonly<Record<RecordHeader["kind"], string>> = {
  accepted: "its request",
  started: "its start",
  ended: "its result",
  changed: "a change",
};

function lossOf({ from, to, run, after, before }: MissingRecords): Loss {
  if (run) {
    const what = `The journal is damaged at number ${from}: ${words[run.kind]} of the run ${run.id} is missing.`;
    return { what, missing: 1, runs: [run.id] };
  }
  const near = [after && `after a change of run ${after}`, before && `before one of run ${before}`]
    .filter((part) => part !== undefined && part !== "")
    .join(" and ");
  const count = to - from + 1;
  const what = `The journal lacks the numbers ${from} to ${to}${near && `, ${near}`}: ${count} changes of runs are missing.`;
  return { what, missing: count, runs: [] };
}

/** What the header alone says: a run that began must not begin again, and one that has ended is no longer running. */
function withoutPayload({ kind, id }: RecordHeader): readonly RunChange[] {
  if (kind === "started") {
    return [{ id, moved: { state: "running", at: undefined }, resume: "forgotten" }];
  }
  if (kind !== "ended") return [];
  const result = { state: "interrupted", reason: "It has finished; its result is lost." } as const;
  const output = { text: "", bytes: 0, omitted: 0 };
  return [{ id, end: { result, at: Date.now(), output, size: 0 }, resume: "forgotten" }];
}
