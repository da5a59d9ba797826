/** The one key map: help, the hints on the last line and what keys do derive from it and from the keys of screens. */
import type { Screen, ScreenKey } from "../../plugin-api/screen.js";

const MOVING: readonly ScreenKey[] = [
  { keys: ["j", "↓"], action: "down", does: "move down" },
  { keys: ["k", "↑"], action: "up", does: "move up" },
  { keys: ["ctrl+d", "PgDn"], action: "pageDown", does: "move a page down" },
  { keys: ["ctrl+u", "PgUp"], action: "pageUp", does: "move a page up" },
  { keys: ["g", "Home"], action: "first", does: "go to the first" },
  { keys: ["G", "End"], action: "last", does: "go to the last" },
  { keys: ["Enter", "l", "→"], action: "open", does: "look at it closely", hint: "open" },
  { keys: ["Esc", "h", "←"], action: "back", does: "go back; clear the filter" },
];
/** For screens with more than one list. */
const NEXT_LIST: ScreenKey = {
  keys: ["t"],
  action: "tab",
  does: "show the other list",
  hint: "list",
};
const SHARED: readonly ScreenKey[] = [
  { keys: ["Tab"], action: "nextScreen", does: "next screen" },
  { keys: ["Shift+Tab"], action: "previousScreen", does: "previous screen" },
  { keys: ["/"], action: "filter", does: "show only what has a text in it", hint: "filter" },
  {
    keys: ["ctrl+k"],
    action: "find",
    does: "find anything by its name; also a second `/`",
  },
  { keys: ["n"], action: "next", does: "next match, from the last to the first" },
  { keys: ["N"], action: "previous", does: "previous match" },
  { keys: ["s"], action: "sort", does: "sort by the next column", hint: "sort" },
  { keys: ["S"], action: "reverse", does: "turn the order round" },
  { keys: ["y"], action: "copy", does: "copy the chosen row, or what is open" },
  { keys: ["v"], action: "raw", does: "show events as sentences, or with their data" },
  {
    keys: ["Space"],
    action: "pause",
    does: "hold everything still, or let it go on",
    hint: "pause",
  },
];
/** For screens whose rows are about blocks. */
const EDIT: ScreenKey = {
  keys: ["e"],
  action: "edit",
  does: "edit its block in your editor, then reload",
  changes: true,
  hint: "edit",
};
const LAST: readonly ScreenKey[] = [
  { keys: ["T"], action: "theme", does: "show the next theme" },
  { keys: [":"], action: "palette", does: "go anywhere, do anything, by name", hint: "go" },
  { keys: ["?"], action: "help", does: "show the keys", hint: "help" },
  { keys: ["q", "ctrl+c"], action: "quit", does: "quit", hint: "quit" },
];

/** Keys that only this screen has. */
export const ownKeys = ({ tabs, keys = [] }: Screen): readonly ScreenKey[] =>
  tabs ? [NEXT_LIST, ...keys] : keys;

/** Keys that work on this screen. */
export function keysOn(screen: Screen, readOnly: boolean): readonly ScreenKey[] {
  const { tabs, keys = [], block } = screen;
  const shared = block ? [...SHARED, EDIT] : SHARED;
  const all = [...MOVING, ...(tabs ? [NEXT_LIST] : []), ...shared, ...keys, ...LAST];
  return all.filter(({ changes }) => !(readOnly && changes));
}

export function actionOf(key: string, screen: Screen, readOnly: boolean): string | undefined {
  return keysOn(screen, readOnly).find(({ keys }) => keys.includes(key))?.action;
}
