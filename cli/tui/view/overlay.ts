/** What stands over a screen: help, the palette, an answer of the daemon. */

import type { Screens, View } from "../../plugin-api/screen.js";
import { manyLines } from "../../print/text.js";
import { screenOf } from "../screens/all.js";
import { keysOn } from "../ui/keys.js";
import { paletteEntries } from "../ui/palette.js";
import type { Ui } from "../ui/ui.js";
import { scrolled } from "./body.js";
import { fit, pairs, wrapped } from "./lines.js";
import type { Theme } from "./theme.js";

type Room = Pick<View, "width" | "height">;

/** `undefined` where nothing stands over the screen. */
export function overlay(
  ui: Ui,
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
  const from = Math.max(0, Math.min(chosen - Math.floor(height / 2), lines.length - height));
  return lines
    .map((line, index) =>
      index === chosen
        ? theme.paint("selected", fit(`${theme.unicode ? "▌" : ">"}${line.slice(1)}`, width))
        : line,
    )
    .slice(from, from + height);
}
