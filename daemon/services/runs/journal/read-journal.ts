/** Reads what an earlier daemon left in its journal, and finds what is missing from it. */
import type { JournalFiles } from "./files.js";
import type { MarkValue } from "./mark.js";
import {
  decodeHeader,
  decodeSegment,
  headerLength,
  nextHeader,
  payloadOf,
  type RecordHeader,
  recordLength,
} from "./record.js";

/** What the database has of the journal. */
export interface AppliedJournal {
  readonly epoch: number;
  readonly sequence: number;
}

interface JournalRecord {
  readonly header: RecordHeader;
  /** `undefined` where it is damaged. */
  readonly payload: string | undefined;
}

/** Acknowledged records that are neither in the journal nor in the database. */
export interface MissingRecords {
  readonly from: number;
  readonly to: number;
  /** The run of a damaged record, and what became of it. */
  readonly run?: { readonly id: string; readonly kind: RecordHeader["kind"] };
  /** Runs of the nearest records before and after. */
  readonly after?: string;
  readonly before?: string;
}

export interface KeptSegment {
  readonly number: number;
  /** Sequence of its last record. */
  readonly last: number;
  /** Runs that were accepted in it and have not ended. */
  readonly unfinished: Set<string>;
}

export interface FoundJournal {
  readonly epoch: number | undefined;
  /** All of them, also those that the database has. */
  readonly records: readonly JournalRecord[];
  readonly missing: readonly MissingRecords[];
  /** The newest sequence in use, and the newest that was acknowledged. */
  readonly sequence: number;
  readonly acknowledged: number;
  readonly crc: number;
  readonly segments: readonly KeptSegment[];
  /** The highest number of a file. */
  readonly number: number;
  /** Filled with zeros and not begun. */
  readonly prepared: number | undefined;
}

const namePattern = /^journal-(\d+)\.segment$/;
export const segmentName = (number: number): string =>
  `journal-${String(number).padStart(8, "0")}.segment`;

interface Segment {
  readonly number: number;
  readonly records: readonly JournalRecord[];
  /** Sequences that were never acknowledged. */
  readonly void: readonly [from: number, to: number] | undefined;
}

export function readJournal(
  files: JournalFiles,
  mark: MarkValue | undefined,
  applied: AppliedJournal | undefined,
): FoundJournal {
  const numbers = files
    .list()
    .flatMap((name) => namePattern.exec(name)?.[1] ?? [])
    .map(Number)
    .sort((a, b) => a - b);
  const contents = numbers.map((number) => ({ number, bytes: files.read(segmentName(number)) }));
  const epoch = mark?.epoch ?? applied?.epoch ?? epochIn(contents.map(({ bytes }) => bytes));
  const blank = contents.findLast(({ bytes }) => isBlank(bytes));
  const segments = contents
    .filter((each) => each !== blank)
    .map(({ number, bytes }) => segmentIn(number, bytes, epoch));
  const has = applied && applied.epoch === epoch ? applied.sequence : 0;
  const all = inOrder(segments.flatMap(({ records }) => records));
  const last = all.at(-1)?.header;
  const synced = all.reduce((most, { header }) => Math.max(most, header.synced), 0);
  const acknowledged = Math.max(mark?.sequence ?? 0, has, synced);
  const sequence = Math.max(last?.sequence ?? 0, acknowledged);
  return {
    epoch,
    records: all,
    missing: missingFrom(all, segments, has, acknowledged),
    ...{ sequence, acknowledged },
    crc: last?.sequence === sequence ? last.crc : 0,
    segments: keptOf(segments, has),
    number: numbers.at(-1) ?? 0,
    prepared: blank?.number,
  };
}

/** Of the newest record. */
function epochIn(contents: readonly Buffer[]): number | undefined {
  const headers = contents.flatMap((bytes) => decodeHeader(bytes, nextHeader(bytes, 0)) ?? []);
  return headers.toSorted((a, b) => a.sequence - b.sequence).at(-1)?.epoch;
}

const isBlank = (bytes: Buffer): boolean => bytes.equals(Buffer.alloc(bytes.length));

function segmentIn(number: number, bytes: Buffer, epoch: number | undefined): Segment {
  const { voidFrom = 0, first = 0 } = decodeSegment(bytes) ?? {};
  const records: JournalRecord[] = [];
  for (let at = nextHeader(bytes, headerLength); at < bytes.length; ) {
    const header = decodeHeader(bytes, at);
    if (!header) {
      at = nextHeader(bytes, at + 8);
      continue;
    }
    const payload = payloadOf(bytes, at, header);
    if (header.epoch === epoch) records.push({ header, payload });
    at += payload === undefined ? headerLength : recordLength(header.length);
  }
  return { number, records, void: voidFrom > 0 ? [voidFrom, first - 1] : undefined };
}

/** A segment that was filled ahead may be begun late, so numbers of files do not order records. */
const inOrder = (records: readonly JournalRecord[]): readonly JournalRecord[] =>
  records
    .toSorted((a, b) => a.header.sequence - b.header.sequence)
    .filter(({ header }, index, all) => header.sequence !== all[index - 1]?.header.sequence);

/**
 * A record was acknowledged if the mark, the database or any later record says that it was on the disk. What is absent above that was never
 * acknowledged: a cut may take any of it.
 */
function missingFrom(
  records: readonly JournalRecord[],
  segments: readonly Segment[],
  has: number,
  acknowledged: number,
): readonly MissingRecords[] {
  const missing: MissingRecords[] = [];
  let previous: RecordHeader | undefined;
  const gap = (from: number, to: number, before?: string): void => {
    const near = { ...(previous && { after: previous.id }), ...(before && { before }) };
    for (const part of without({ from, to }, segments)) missing.push({ ...part, ...near });
  };
  for (const { header, payload } of records) {
    const { sequence, id, kind } = header;
    const expected = Math.max(previous?.sequence ?? 0, has) + 1;
    if (sequence > expected) gap(expected, Math.min(sequence - 1, acknowledged), id);
    const isNext = previous?.sequence === sequence - 1;
    const isChanged = payload === undefined || (isNext && header.previous !== previous?.crc);
    if (isChanged && sequence > has && sequence <= acknowledged) {
      missing.push({ from: sequence, to: sequence, run: { id, kind } });
    }
    previous = header;
  }
  gap(Math.max(previous?.sequence ?? 0, has) + 1, acknowledged);
  return missing;
}

/** The parts of an interval that are not void. */
function without(
  { from, to }: { readonly from: number; readonly to: number },
  segments: readonly Segment[],
): ReadonlyArray<{ readonly from: number; readonly to: number }> {
  let parts = from <= to ? [{ from, to }] : [];
  for (const { void: empty } of segments) {
    if (!empty) continue;
    parts = parts.flatMap((part) =>
      [
        { from: part.from, to: Math.min(part.to, empty[0] - 1) },
        { from: Math.max(part.from, empty[1] + 1), to: part.to },
      ].filter((rest) => rest.from <= rest.to),
    );
  }
  return parts;
}

function keptOf(segments: readonly Segment[], has: number): readonly KeptSegment[] {
  const kept: KeptSegment[] = [];
  const by = new Map<string, Set<string>>();
  for (const { number, records } of segments) {
    const unfinished = new Set<string>();
    for (const { header } of records) {
      if (header.kind === "accepted") by.set(header.id, unfinished.add(header.id));
      else if (header.kind === "ended") by.get(header.id)?.delete(header.id);
    }
    kept.push({ number, last: records.at(-1)?.header.sequence ?? has, unfinished });
  }
  return kept.sort((a, b) => a.last - b.last);
}
