/** No command begins more often than it may, nor without an accepted request, and those of a key begin in order. */
import { ATTEMPTS } from "./configuration.js";
import { accepted, type Evidence, type Note, nameOf, notesOf, type Violation } from "./evidence.js";

const RETRIED: readonly string[] = ["retried", "follower"];

export const checkBegins = (evidence: Evidence): readonly Violation[] => [
  ...counts(evidence),
  ...requests(evidence),
  ...order(evidence),
  ...alone(evidence),
];

const shown = (begins: readonly Note[]): string =>
  begins.map(({ at, number, value }) => `${number} attempt ${value} at ${at}`).join(", ");

function counts(evidence: Evidence): readonly Violation[] {
  const { records, notes, stops } = evidence;
  const kills = stops.map(({ how, before, after }) => `${how} ${before}-${after}`).join(", ");
  const runs = Map.groupBy(
    notes.filter(({ what }) => what === "begin"),
    ({ run }) => run,
  );
  return [...runs].flatMap(([run, begins]) => {
    const record = records.get(run);
    const text = `${record?.subject} ${run}: ${shown(begins)}; stops: ${kills}`;
    if (record === undefined) return [{ kind: "ran without a record", text }];
    const most = RETRIED.includes(nameOf(record)) ? ATTEMPTS : 1;
    if (begins.length > most) return [{ kind: "more begins than attempts", text }];
    return [...attempts(begins, text), ...needless(run, begins, evidence, text)];
  });
}

/** Those of tasks and schedules know their attempt. One whose begin was lost leaves a gap. */
function attempts(begins: readonly Note[], text: string): readonly Violation[] {
  const numbers = begins.map(({ value }) => value).filter((value) => value > 0);
  const isRising = numbers.every(
    (value, index) => index === 0 || value > (numbers[index - 1] ?? 0),
  );
  return isRising && numbers.every((value) => value <= ATTEMPTS)
    ? []
    : [{ kind: "attempts that are counted wrongly", text }];
}

/** After a success only the loss of its record in a death explains another attempt. */
function needless(
  run: string,
  begins: readonly Note[],
  evidence: Evidence,
  text: string,
): readonly Violation[] {
  const success = notesOf(evidence, run, "end").find(({ value }) => value === 0);
  const next = success && begins.find(({ at }) => at > success.at);
  if (success === undefined || next === undefined) return [];
  // A command may note its end after the death of its daemon: the next one ends it before it starts another.
  const begin = begins.findLast(({ at }) => at < success.at) ?? success;
  const isExplained = evidence.stops.some(
    ({ before, after, isDeath }) => isDeath && begin.at < after && before <= next.at,
  );
  return isExplained || evidence.wasFull ? [] : [{ kind: "an attempt after a success", text }];
}

/** A request that was refused did not run; one without an answer ran as one run at most. */
function requests({ sent, notes }: Evidence): readonly Violation[] {
  return sent.flatMap(({ number, status, run, hook }) => {
    const begins = notes.filter((note) => note.what === "begin" && note.number === `${number}`);
    const runs = new Set(begins.map((begin) => begin.run));
    const text = `request ${number} to ${hook}, answered ${status} ${run ?? ""}: ${[...runs].join(", ")}`;
    if (status === 202) {
      const others = [...runs].filter((each) => each !== run);
      return others.length === 0 ? [] : [{ kind: "a request with two runs", text }];
    }
    const most = status === undefined ? 1 : 0;
    return runs.size <= most ? [] : [{ kind: "ran although it was refused", text }];
  });
}

/** Of the hooks whose runs are one after another: requests by queue. */
const queues = (evidence: Evidence) =>
  Map.groupBy(
    accepted(evidence).filter(({ hook }) => hook === "queued" || hook === "keyed"),
    ({ hook, key }) => (hook === "queued" ? hook : `${hook} ${key}`),
  );

function order(evidence: Evidence): readonly Violation[] {
  return [...queues(evidence)].flatMap(([queue, all]) => {
    const started = all
      .flatMap(({ run, number, rank }) => {
        const [first] = notesOf(evidence, run, "begin");
        return first ? [{ number, rank, at: first.at }] : [];
      })
      .toSorted((a, b) => a.at - b.at);
    const isOrdered = started.every(({ rank }, index) => rank >= (started[index - 1]?.rank ?? 0));
    const text = `${queue}: ${started.map(({ number, rank }) => `${number} (rank ${rank})`).join(", ")}`;
    return isOrdered ? [] : [{ kind: "out of order", text }];
  });
}

/** Two of a queue never run at once: between two begins is an end, or a stop. */
function alone(evidence: Evidence): readonly Violation[] {
  return [...queues(evidence)].flatMap(([queue, all]) => {
    const runs = new Set(all.map(({ run }) => run));
    const own = evidence.notes.filter(({ run }) => runs.has(run));
    return own.flatMap((note, index) => {
      const last = own[index - 1];
      if (note.what !== "begin" || last?.what !== "begin") return [];
      // A command of a dead daemon may note its begin a moment after that one's end.
      const isExplained = evidence.stops.some(
        ({ exit, after }) => last.at < after && exit <= note.at,
      );
      if (isExplained) return [];
      return [{ kind: "two at once", text: `${queue}: ${last.number} and ${note.number}` }];
    });
  });
}
