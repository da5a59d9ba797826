/** One event or line of a log from close. */

import type { Screen, View } from "../../plugin-api/screen.js";
import { oneLine } from "../../print/text.js";
import { absolute, when } from "../../print/units.js";
import type { Model } from "../model/model.js";
import { pairs, wrapped } from "../view/lines.js";
import type { Theme } from "../view/theme.js";
import { allEntries, type EventLogRow, paintedEntry } from "./events.js";

/** Entries that are shown beside something. */
const MOST = 80;

/** The newest entries that fit, one a line. */
export function latestEntries(
  model: Model,
  theme: Theme,
  fits: (entry: EventLogRow) => boolean,
): readonly string[] {
  const found: EventLogRow[] = [];
  for (const entry of allEntries(model)) {
    if (fits(entry)) found.push(entry);
    if (found.length === MOST) break;
  }
  if (found.length === 0) return [theme.paint("dim", "Nothing has happened yet.")];
  return found.map(
    (entry) => `${theme.paint("dim", absolute(entry.at, model.now))} ${paintedEntry(entry, theme)}`,
  );
}

/** What else is known of the object of an entry; where it has none, of the plugin that it is from. */
export const relatedEntries: NonNullable<Screen["further"]> = ({ model, theme }, id) => {
  const entry = allEntries(model).find((each) => each.id === id);
  if (entry === undefined) return [];
  const object = entry.sentence?.object;
  const title = object === undefined || object === "" ? `From ${entry.from}` : `About ${object}`;
  const fits = ({ from, sentence }: EventLogRow) =>
    object === undefined || object === "" ? from === entry.from : sentence?.object === object;
  return [theme.paint("bold", oneLine(title)), ...latestEntries(model, theme, fits)];
};

export function entryDetail({ model, theme, width }: View, id: string): readonly string[] {
  const entry = allEntries(model).find((each) => each.id === id);
  if (entry === undefined) return [theme.paint("dim", "This is not kept any more.")];
  const { at, from, what, text, data } = entry;
  const full = data === undefined ? text : JSON.stringify(data, undefined, 2);
  return [
    theme.paint("bold", `${oneLine(from)} ${oneLine(what)}`),
    paintedEntry(entry, theme),
    "",
    ...pairs([["when", when(at, model.now)]], (name) => theme.paint("dim", name)),
    "",
    ...wrapped(full.split("\n").map(bareLine).join("\n"), width),
  ];
}

/** Indentation stays; nothing in it moves the cursor. */
function bareLine(line: string): string {
  const text = line.trimStart();
  return " ".repeat(line.length - text.length) + oneLine(text);
}
