/** The last line: what is being written or asked, a notice, or what keys do here. */

import type { Screen } from "../../plugin-api/screen.js";
import { cut } from "../../print/text.js";
import { keysOn, ownKeys } from "../ui/keys.js";
import { stateOf, type Ui } from "../ui/ui.js";
import { fit, widthOf } from "./lines.js";
import type { Theme } from "./theme.js";
import { zoned } from "./zones.js";

export function footer(ui: Ui, screen: Screen, theme: Theme, width: number): string {
  const { mode, notice } = ui;
  if (mode.kind === "filter") return `/${mode.text}${cursor(theme)}`;
  if (mode.kind === "palette") return `:${mode.text}${cursor(theme)}`;
  if (mode.kind === "find") return `Find: ${mode.text}${cursor(theme)}`;
  const questionLine = (question: string, no: string): string => {
    const keys = ` y: yes, ${no}: no`;
    const text = cut(question, Math.max(0, width - widthOf(keys)));
    const line = theme.paint(["bold", "inverse"], fit(text + keys, width));
    if (!theme.zone) return line;
    const yes = zoned(theme, "key:y", " y: yes");
    return fit(`${text}${yes},${zoned(theme, "key:Esc", ` ${no}: no`)}`, width);
  };
  if (mode.kind === "confirm") return questionLine(mode.question, "any other key");
  if (mode.kind === "answer" && mode.offer) return questionLine(mode.offer.question, "Esc");
  if (notice) return theme.paint(notice.bad ? "fail" : "bold", notice.text);
  return hints(ui, screen, theme, width);
}

const cursor = (theme: Theme): string => theme.paint("inverse", " ");

/** What makes sense only where there is a list. */
const LISTS: ReadonlySet<string> = new Set(["open", "filter", "sort", "tab"]);

/** As many as fit; how to leave and where the rest is are always there. */
function hints(ui: Ui, screen: Screen, theme: Theme, width: number): string {
  const isReading = ui.mode.kind !== "browse" || stateOf(ui).open !== undefined;
  const all = keysOn(screen, ui.readOnly).filter(
    ({ hint, action }) => hint !== undefined && !(isReading && LISTS.has(action)),
  );
  const named = all.map((binding) => {
    const { keys, hint = "" } = binding;
    return { key: keys[0], hint, isOwn: ownKeys(screen).includes(binding) };
  });
  const own = isReading ? [{ key: "Esc", hint: "back" }] : [];
  const must = ["?", "q"];
  const ranked = [
    ...own,
    ...named.filter(({ key }) => must.includes(key)),
    // What only this screen can do is found nowhere else.
    ...named.filter(({ key, isOwn }) => isOwn && !must.includes(key)),
    ...named.filter(({ key, isOwn }) => !(isOwn || must.includes(key))),
  ];
  const kept = new Set<string>();
  let room = width;
  for (const { key, hint } of ranked) {
    room -= widthOf(key) + widthOf(hint) + 3;
    if (room < 0) break;
    kept.add(key);
  }
  return [...own, ...named]
    .filter(({ key }) => kept.has(key))
    .map(({ key, hint }) => {
      const text = `${theme.paint(["bold", "accent"], key)} ${theme.paint("dim", hint)}`;
      return zoned(theme, `key:${key}`, text);
    })
    .join("  ");
}
