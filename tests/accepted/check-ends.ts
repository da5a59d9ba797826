/** Each accepted run has a record, which has the end that its command had. */
import { CONCURRENCY } from "./configuration.js";
import {
  accepted,
  type Evidence,
  isEnded,
  type ListedRun,
  nameOf,
  notesOf,
  type StopEvidence,
  type Violation,
} from "./evidence.js";

const DIED = "The daemon died before the command's end was recorded.";

export function checkEnds(evidence: Evidence): readonly Violation[] {
  const { records } = evidence;
  const lost = accepted(evidence)
    .filter(({ run }) => !records.has(run))
    .map(({ run, number }) => ({ kind: "lost", text: `request ${number} has no record: ${run}` }));
  const wrong = [...records.values()].flatMap((record) => {
    const kind = faultOf(record, evidence);
    return kind === undefined
      ? []
      : [{ kind, text: `${shown(record)}; ${notes(record, evidence)}` }];
  });
  return [...lost, ...wrong, ...tooManyInterrupted(evidence), ...changed(evidence)];
}

const shown = ({ id, subject, state, exitCode, reason, startedAt }: ListedRun): string =>
  `${subject} ${id}: ${state} ${exitCode ?? ""} ${startedAt === undefined ? "not started" : "started"} ${reason ?? ""}`;

const notes = ({ id }: ListedRun, evidence: Evidence): string =>
  `notes: ${evidence.notes
    .filter(({ run }) => run === id)
    .map(({ at, what, value }) => `${at} ${what} ${value}`)
    .join(", ")}; stops: ${evidence.stops
    .map(({ how, before, after }) => `${how} ${before}-${after}`)
    .join(", ")}`;

/** The stops after the run was accepted. */
function stopsOf({ id }: ListedRun, { sent, stops }: Evidence): readonly StopEvidence[] {
  return stops.slice(sent.find(({ run }) => run === id)?.stop ?? 0);
}

function faultOf(record: ListedRun, evidence: Evidence): string | undefined {
  const { id, state, exitCode, startedAt, reason, kind, detail } = record;
  const { wasFull } = evidence;
  const begins = notesOf(evidence, id, "begin");
  const codes = notesOf(evidence, id, "end").map(({ value }) => value);
  const stops = stopsOf(record, evidence);
  const isKilled = stops.some(({ isDeath }) => isDeath);
  const isCut = stops.some(({ how }) => how === "TERM");
  if (!isEnded(record)) return `never ended: ${state}`;
  if (isRefused(record, evidence)) return begins.length === 0 ? undefined : "refused, but it ran";
  const { missed, skipped } = (detail ?? {}) as { missed?: number; skipped?: boolean };
  if (kind === "schedule" && state === "cancelled" && (missed !== undefined || skipped))
    return begins.length === 0 ? undefined : "missed or skipped, but it ran";
  switch (state) {
    case "succeeded":
      return codes.at(-1) === 0 ? undefined : "succeeded without its command";
    case "failed":
      if (exitCode !== undefined)
        return codes.at(-1) === exitCode ? undefined : "failed in another way than its command";
      if (reason === DIED)
        return isKilled || wasFull ? undefined : "failed by a death that was not";
      return "failed for another reason than its command";
    case "cancelled":
      // What only waited goes on waiting.
      if (startedAt === undefined || startedAt === null)
        return "accepted, then cancelled while it waited";
      return isCut ? undefined : "cancelled without a stop";
    case "interrupted":
      if (startedAt === undefined || startedAt === null)
        return "accepted, then interrupted while it waited";
      return isKilled || (wasFull && isCut) ? undefined : "interrupted without a death";
    default:
      return `an end that nothing explains: ${state}`;
  }
}

/** The record of a request that was answered with a refusal: the disk took its record and refused the rest. */
const isRefused = ({ state, startedAt, id }: ListedRun, { sent }: Evidence): boolean =>
  state === "cancelled" &&
  !startedAt &&
  !sent.some(({ run, status }) => run === id && status === 202) &&
  sent.some(({ status }) => status === 503);

/** A death interrupts no more runs than could be running. */
function tooManyInterrupted({ records, stops, wasFull }: Evidence): readonly Violation[] {
  const deaths = stops.filter(({ isDeath }) => isDeath).length;
  if (wasFull) return [];
  return Object.entries(CONCURRENCY).flatMap(([name, most]) => {
    const count = [...records.values()].filter(
      (record) => nameOf(record) === name && record.state === "interrupted",
    ).length;
    if (count <= deaths * most) return [];
    return [{ kind: "too many interrupted", text: `${name}: ${count} by ${deaths} deaths` }];
  });
}

/** What a record said before a stop stays. Runs that have been interrupted may go on. */
function changed({ records, stops, notes: all }: Evidence): readonly Violation[] {
  return stops.flatMap(({ ended, before }, index) =>
    [...ended.values()].flatMap((earlier) => {
      if (earlier.state === "interrupted") return [];
      const now = records.get(earlier.id);
      if (now?.state !== earlier.state)
        return [
          {
            kind: "an end that changed",
            text: `stop ${index + 1}: ${shown(earlier)}, then ${now?.state}`,
          },
        ];
      const again = all.find(
        ({ run, what, at }) => run === earlier.id && what === "begin" && at >= before,
      );
      if (again === undefined) return [];
      return [
        { kind: "a begin after the recorded end", text: `stop ${index + 1}: ${shown(earlier)}` },
      ];
    }),
  );
}
