/** Every screen as plain text, one after the other, without anything cut. */

import type { Screen, ScreenId, Screens, View } from "../../plugin-api/screen.js";
import type { Model } from "../model/model.js";
import { screenOf, viewOf } from "../screens/all.js";
import { firstUi, stateOf } from "../ui/ui.js";
import type { Theme } from "../view/theme.js";

/** Rows of a list that are printed. */
const ROWS = 20;

interface PlainOptions {
  /** Absent: all of them. */
  readonly screen: ScreenId | undefined;
  readonly screens: Screens;
  readonly width: number;
  readonly theme: Theme;
}

export function plainText(model: Model, { screen, screens, width, theme }: PlainOptions): string {
  const wanted = screen === undefined ? screens : [screenOf(screens, screen)];
  return wanted.map((each) => screenText(each, model, width, theme)).join("\n");
}

function screenText(screen: Screen, model: Model, width: number, theme: Theme): string {
  const tabs = screen.tabs ?? [""];
  const views = tabs.map((_, tab): View => {
    const state = { ...stateOf(firstUi(screen.id, true)), tab };
    return viewOf({ model, width, height: 10_000, theme }, screen, state);
  });
  const [first] = views;
  const lines = [
    theme.paint("bold", `== ${screen.title}`),
    ...(first ? (screen.text ?? screen.top)(first) : []),
    ...views.flatMap((view) => listText(screen, view)),
  ];
  return lines.map((line) => `${line.trimEnd()}\n`).join("");
}

function listText(screen: Screen, view: View): readonly string[] {
  const list = screen.list(view);
  const title = `-- ${screen.listTitle(view)} (${list.size})`;
  if (list.size === 0) return [title, screen.empty(view)];
  const { heading, rows } = list.lay(0, list.columns.length === 0 ? list.size : ROWS, view.width);
  const more = list.columns.length > 0 && list.size > ROWS ? [`and ${list.size - ROWS} more`] : [];
  return [title, ...(heading === undefined ? [] : [heading]), ...rows, ...more];
}
