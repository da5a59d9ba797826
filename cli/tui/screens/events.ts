/** Events and what plugins log, as rows of one list. */
import type { DaemonEvent, LogLine } from "../../../daemon/http/control/api.js";
import { type EventSentence, eventSentence } from "../../print/sentences.js";
import { stateLook } from "../../print/states.js";
import { oneLine } from "../../print/text.js";
import { absolute } from "../../print/units.js";
import type { Model } from "../model/model.js";
import type { ListColumn } from "../view/list.js";
import type { Theme } from "../view/theme.js";

export interface EventLogRow {
  readonly id: string;
  readonly at: number;
  /** A plugin's id, or `reeve`. */
  readonly from: string;
  /** An event's type, or a log line's level. */
  readonly what: string;
  readonly text: string;
  /** What an event carries. */
  readonly data?: unknown;
  /** Absent for what has no sentence of its own. */
  readonly sentence?: EventSentence | undefined;
}

const ofEvents = new WeakMap<readonly DaemonEvent[], readonly EventLogRow[]>();
const ofEvent = new WeakMap<DaemonEvent, EventLogRow>();

/** Of thousands of events a few are seen: the others are never put into words. */
class EventRow implements EventLogRow {
  readonly id: string;
  readonly at: number;
  readonly from: string;
  readonly what: string;
  readonly data: unknown;
  #text: string | undefined;
  #sentence: EventSentence | undefined;

  constructor({ sequence, at, type, plugin, data }: DaemonEvent) {
    this.id = `e${sequence}`;
    this.at = at;
    this.from = plugin ?? "reeve";
    this.what = type;
    this.data = data;
  }

  get text(): string {
    this.#text ??= dataText(this.data as DaemonEvent["data"]);
    return this.#text;
  }

  get sentence(): EventSentence | undefined {
    this.#sentence ??= eventSentence({
      type: this.what,
      data: this.data as DaemonEvent["data"],
    });
    return this.#sentence;
  }
}

function entryOf(event: DaemonEvent): EventLogRow {
  let entry = ofEvent.get(event);
  if (entry === undefined) {
    entry = new EventRow(event);
    ofEvent.set(event, entry);
  }
  return entry;
}

/** Newest first; the same array for the same events. */
export function eventEntries(events: readonly DaemonEvent[]): readonly EventLogRow[] {
  let entries = ofEvents.get(events);
  if (entries === undefined) {
    entries = events.map(entryOf);
    ofEvents.set(events, entries);
  }
  return entries;
}

/** Kinds of runs whose plugin says itself when they were triggered and how they ended. */
const OWN_EVENTS: ReadonlySet<unknown> = new Set(["hook", "schedule", "watch", "task"]);
const briefOf = new WeakMap<readonly EventLogRow[], readonly EventLogRow[]>();

/** Without events that say again what another one says. The same array for the same events. */
export function briefEntries(events: readonly DaemonEvent[]): readonly EventLogRow[] {
  const all = eventEntries(events);
  let brief = briefOf.get(all);
  if (brief === undefined) {
    brief = all.filter(({ what, data }) => {
      const isOfRun = /^run\.(started|running|finished)$/.test(what);
      return !isOfRun || !OWN_EVENTS.has((data as DaemonEvent["data"]).kind);
    });
    briefOf.set(all, brief);
  }
  return brief;
}

type Sources = Pick<Model, "events" | "panels" | "logs">;

interface Merged extends Omit<Sources, "events"> {
  readonly entries: readonly EventLogRow[];
}
const merged = new WeakMap<readonly DaemonEvent[], Merged>();

/** All of them, newest first; the same array while none changes. */
export function allEntries({ events, panels, logs }: Sources): readonly EventLogRow[] {
  const kept = merged.get(events);
  if (kept?.panels === panels && kept.logs === logs) return kept.entries;
  const logged = [...logs.map(logEntry), ...shownLogs(panels)];
  const own = eventEntries(events);
  const entries = logged.length === 0 ? own : [...own, ...logged].sort((a, b) => b.at - a.at);
  merged.set(events, { panels, logs, entries });
  return entries;
}

const ofLine = new WeakMap<LogLine, EventLogRow>();

function logEntry(line: LogLine): EventLogRow {
  let entry = ofLine.get(line);
  if (entry === undefined) {
    entry = ofLog(line);
    ofLine.set(line, entry);
  }
  return entry;
}

function ofLog({ sequence, at, level, plugin, message, fields }: LogLine): EventLogRow {
  const about = dataText(fields);
  return {
    ...{ id: `d${sequence}`, at, from: plugin ?? "reeve", what: level },
    text: oneLine(about === "" ? message : `${message} ${about}`),
    ...(about !== "" && { data: { message, ...fields } }),
  };
}

/** Logs that plugins show as panels. */
const shownLogs = (panels: Sources["panels"]): readonly EventLogRow[] =>
  panels.flatMap(({ plugin, panels: own }) =>
    own.flatMap((panel) =>
      panel.kind === "log"
        ? panel.lines.map(
            ({ at, level, text }, index): EventLogRow => ({
              id: `l${plugin}/${panel.id}/${at}/${index}`,
              at,
              from: plugin,
              what: level,
              text: oneLine(text),
            }),
          )
        : [],
    ),
  );

export function entryColumns(
  theme: Theme,
  now: number,
  raw = false,
): ReadonlyArray<ListColumn<EventLogRow>> {
  const columns: ReadonlyArray<ListColumn<EventLogRow>> = [
    { title: "TIME", cell: ({ at }) => absolute(at, now), value: ({ at }) => -at },
    { title: "FROM", cell: ({ from }) => from, priority: 1, shrink: 6, least: 8 },
  ];
  return [...columns, ...(raw ? rawColumns(theme) : [sentenceColumn(theme)])];
}

const sentenceColumn = (theme: Theme): ListColumn<EventLogRow> => ({
  title: "WHAT HAPPENED",
  cell: sentenceText,
  shrink: 20,
  paint: (cell, row) => paintedSentence(cell, row, theme),
});

function sentenceText(row: EventLogRow): string {
  const { sign, object, text } = sentenceOf(row);
  return oneLine([sign, object, text].filter((part) => part !== "").join(" "));
}

/** The sign in its role, and what the sentence is about as what can be opened. A cut one has only its role. */
function paintedSentence(cell: string, row: EventLogRow, theme: Theme): string {
  const { sign, object, role } = sentenceOf(row);
  const head = `${sign} ${object}`;
  if (!cell.startsWith(head)) return theme.paint(role, cell);
  return `${theme.paint(role, sign)} ${theme.paint("accent", object)}${cell.slice(head.length)}`;
}

export const paintedEntry = (row: EventLogRow, theme: Theme): string =>
  paintedSentence(sentenceText(row), row, theme);

/** A line of a log has its level as its state. */
function sentenceOf({ what, text, sentence }: EventLogRow) {
  const state = sentence?.state ?? (what.includes(".") ? "" : what);
  const { sign, role } =
    state === "" || QUIET.has(state) ? ({ sign: "·", role: "dim" } as const) : stateLook(state);
  const object = sentence?.object ?? (what.includes(".") ? what : "");
  return { sign, role, object, text: sentence?.text ?? text };
}

const QUIET: ReadonlySet<string> = new Set(["debug", "info", "trace"]);

/** The type of an event and what it carries. */
function rawColumns(theme: Theme): ReadonlyArray<ListColumn<EventLogRow>> {
  return [
    {
      title: "WHAT",
      cell: ({ what }) => what,
      shrink: 10,
      least: 16,
      paint: (text, { what }) =>
        isBad(what)
          ? theme.paint("fail", text)
          : what === "warn"
            ? theme.paint("warn", text)
            : text,
    },
    { title: "DATA", cell: ({ text }) => text, shrink: 10 },
  ];
}

/** What the finder calls an entry. */
export const entryName = ({ what, sentence }: EventLogRow): string => sentence?.object ?? what;

export const entryText = ({ from, what, text, sentence }: EventLogRow): string =>
  `${from} ${what} ${text} ${sentence?.object ?? ""} ${sentence?.text ?? ""}`;

const isBad = (what: string): boolean =>
  /(failed|rejected|quarantined|rolled_back|unhealthy|error|fatal)$/.test(what);

function dataText(data: DaemonEvent["data"]): string {
  return Object.entries(data)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}
