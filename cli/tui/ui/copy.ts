/** What is copied of a row. */
import { stripVTControlCharacters } from "node:util";
import type { Screen, View } from "../../plugin-api/screen.js";

const ROW_WIDTH = 10_000;

/** What the screen offers, else what is open, else the text of the row. */
export function copyText(screen: Screen, view: View, id: string): string {
  const offered = screen.copy?.(view, id);
  if (offered !== undefined) return offered;
  const list = screen.list(view);
  const lines =
    view.state.open === undefined
      ? list.lay(Math.max(0, list.indexOf(id)), 1, ROW_WIDTH).rows.map(onOneLine)
      : (screen.detail?.(view, id) ?? []);
  return lines
    .map((line) => stripVTControlCharacters(line).trimEnd())
    .join("\n")
    .trim();
}

const onOneLine = (row: string): string => row.replace(/\s+/g, " ");
