/** What stands over a screen: help, the palette, an answer of the daemon. */

import { stripVTControlCharacters } from "node:util";
import type { Screens, View } from "../../plugin-api/screen.js";
import { cut, manyLines } from "../../print/text.js";
import type { Model } from "../model/model.js";
import { screenOf } from "../screens/all.js";
import { type FindContext, findHits, SEARCHED } from "../ui/find.js";
import { keysOn } from "../ui/keys.js";
import { paletteEntries } from "../ui/palette.js";
import type { Ui } from "../ui/ui.js";
import { scrolled } from "./body.js";
import { fit, pairs, widthOf, wrapped } from "./lines.js";
import type { Theme } from "./theme.js";
import { zoned } from "./zones.js";

type Room = Pick<View, "width" | "height">;

/** `undefined` where nothing stands over the screen. */
export function overlay(
  ui: Ui,
  model: Model,
  screens: Screens,
  theme: Theme,
  room: Room,
): readonly string[] | undefined {
  const { mode } = ui;
  if (mode.kind === "help")
    return scrolled(helpLines(ui, screens, theme), mode.scroll, { ...room, theme });
  if (mode.kind === "answer") {
    const text = wrapped(manyLines(mode.text).trimEnd(), room.width);
    const lines = [theme.paint("bold", mode.title), "", ...text];
    return scrolled(lines, mode.scroll, { ...room, theme });
  }
  if (mode.kind === "find") return findLines(ui, mode, { ...room, model, screens, theme });
  return mode.kind === "palette" ? paletteLines(ui, mode, screens, theme, room) : undefined;
}

function helpLines(ui: Ui, screens: Screens, theme: Theme): readonly string[] {
  const dim = (text: string) => theme.paint("bold", text);
  return [
    theme.paint("bold", "Keys"),
    ...pairs(
      keysOn(screenOf(screens, ui.screen), ui.readOnly).map(({ keys, does }) => [
        keys.join(", "),
        does,
      ]),
      dim,
    ),
    "",
    theme.paint("bold", "Screens"),
    ...pairs(
      screens.map(({ title, about }, index) => [`${index + 1} ${title}`, about]),
      dim,
    ),
  ];
}

function paletteLines(
  ui: Ui,
  { text, chosen }: Extract<Ui["mode"], { readonly kind: "palette" }>,
  screens: Screens,
  theme: Theme,
  { width, height }: Room,
): readonly string[] {
  const entries = paletteEntries(ui, text, screens);
  if (entries.length === 0)
    return [theme.paint("dim", "There is nothing of this name. Esc closes.")];
  const lines = pairs(
    entries.map(({ name, about }) => [name, about]),
    (name) => theme.paint("bold", name),
  );
  return windowed(lines, chosen, { width, height }, theme);
}

/** The lines around the chosen one, which is marked. `first`: the number of the first line among all. */
function windowed(
  lines: readonly string[],
  chosen: number,
  { width, height }: Room,
  theme: Theme,
  first = 0,
): readonly string[] {
  const from = Math.max(0, Math.min(chosen - Math.floor(height / 2), lines.length - height));
  const sign = theme.unicode ? "▌" : ">";
  return lines
    .map((line, index) => {
      const shown = fit(index === chosen ? `${sign}${line.slice(1)}` : line, width);
      const marked = index === chosen ? theme.paint("selected", shown) : shown;
      return zoned(theme, `entry:${first + index}`, marked);
    })
    .slice(from, from + height);
}

/** Of the width, for names. */
const NAMES = 0.35;

function findLines(
  ui: Ui,
  { text, chosen }: Extract<Ui["mode"], { readonly kind: "find" }>,
  context: FindContext,
): readonly string[] {
  const { theme, width, height } = context;
  const hits = findHits(ui, text, context);
  const note = `Searched: names and texts of all lists, of long ones the first ${SEARCHED} rows.`;
  if (hits.length === 0) {
    return [
      theme.paint("dim", "Nothing has this in its name. Esc closes."),
      theme.paint("dim", note),
    ];
  }
  const at = Math.min(chosen, hits.length - 1);
  const room = height - 1;
  const from = Math.max(0, Math.min(at - Math.floor(room / 2), hits.length - room));
  const shown = hits.slice(from, from + room);
  const most = (texts: readonly string[], limit: number) =>
    Math.min(Math.floor(limit), Math.max(...texts.map(widthOf)));
  const names = most(
    shown.map(({ name }) => name),
    width * NAMES,
  );
  const lists = most(
    shown.map(({ where }) => where),
    width * NAMES,
  );
  const lines = shown.map(({ name, where, about }) => {
    const head = ` ${fit(name, names)}  ${theme.paint("dim", fit(where, lists))}  `;
    return head + cut(stripVTControlCharacters(about()), Math.max(0, width - widthOf(head)));
  });
  return [
    theme.paint("dim", `${at + 1} of ${hits.length} found`),
    ...windowed(lines, at - from, { width, height: room }, theme, from),
  ];
}
