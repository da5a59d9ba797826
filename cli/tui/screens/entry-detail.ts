/** One event or line of a log from close. */

import type { View } from "../../plugin-api/screen.js";
import { oneLine } from "../../print/text.js";
import { when } from "../../print/units.js";
import { pairs, wrapped } from "../view/lines.js";
import { allEntries, paintedEntry } from "./events.js";

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
