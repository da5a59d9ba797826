/** Events and what plugins log, as rows of one list. */
import type { DaemonEvent, PanelList } from "../../../daemon/http/control/api.js";
import { oneLine } from "../../show/text.js";
import { absolute } from "../../show/units.js";
import type { ListColumn } from "../view/list.js";
import type { Theme } from "../view/theme.js";

export interface Entry {
  readonly id: string;
  readonly at: number;
  /** A plugin's id, or `reeve`. */
  readonly from: string;
  /** An event's type, or a log line's level. */
  readonly what: string;
  readonly text: string;
  /** What an event carries. */
  readonly data?: unknown;
}

const ofEvents = new WeakMap<readonly DaemonEvent[], readonly Entry[]>();
const ofEvent = new WeakMap<DaemonEvent, Entry>();

/** Of thousands of events a few are seen: the others are never put into words. */
class EventEntry implements Entry {
  readonly id: string;
  readonly at: number;
  readonly from: string;
  readonly what: string;
  readonly data: unknown;
  #text: string | undefined;

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
}

function entryOf(event: DaemonEvent): Entry {
  let entry = ofEvent.get(event);
  if (entry === undefined) {
    entry = new EventEntry(event);
    ofEvent.set(event, entry);
  }
  return entry;
}

/** Newest first; the same array for the same events. */
export function eventEntries(events: readonly DaemonEvent[]): readonly Entry[] {
  let entries = ofEvents.get(events);
  if (entries === undefined) {
    entries = events.map(entryOf);
    ofEvents.set(events, entries);
  }
  return entries;
}

interface Merged {
  readonly panels: PanelList["plugins"];
  readonly entries: readonly Entry[];
}
const merged = new WeakMap<readonly DaemonEvent[], Merged>();

/** Both, newest first; the same array while neither changes. */
export function allEntries(
  events: readonly DaemonEvent[],
  panels: PanelList["plugins"],
): readonly Entry[] {
  const kept = merged.get(events);
  if (kept?.panels === panels) return kept.entries;
  const logged = panels.flatMap(({ plugin, panels: own }) =>
    own.flatMap((panel) =>
      panel.kind === "log"
        ? panel.lines.map(
            ({ at, level, text }, index): Entry => ({
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
  const own = eventEntries(events);
  const entries = logged.length === 0 ? own : [...own, ...logged].sort((a, b) => b.at - a.at);
  merged.set(events, { panels, entries });
  return entries;
}

export function entryColumns(theme: Theme, now: number): ReadonlyArray<ListColumn<Entry>> {
  return [
    { title: "TIME", cell: ({ at }) => absolute(at, now), value: ({ at }) => -at },
    { title: "FROM", cell: ({ from }) => from, priority: 1, shrink: 6, least: 8 },
    {
      title: "WHAT",
      cell: ({ what }) => what,
      shrink: 10,
      least: 16,
      paint: (text, { what }) => (isBad(what) ? theme.paint("red", text) : text),
    },
    { title: "DATA", cell: ({ text }) => text, shrink: 10 },
  ];
}

export const entryText = ({ from, what, text }: Entry): string => `${from} ${what} ${text}`;

const isBad = (what: string): boolean =>
  /(failed|rejected|quarantined|rolled_back|unhealthy|error|fatal)$/.test(what);

function dataText(data: DaemonEvent["data"]): string {
  return Object.entries(data)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${typeof value === "string" ? value : JSON.stringify(value)}`)
    .join(" ");
}
