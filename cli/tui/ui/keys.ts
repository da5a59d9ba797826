/** The one key map. Help, the hints on the last line and what keys do are all made from it. */
import type { ScreenId } from "./ui.js";

export type Action =
  | "up"
  | "down"
  | "pageUp"
  | "pageDown"
  | "first"
  | "last"
  | "open"
  | "back"
  | "tab"
  | "nextScreen"
  | "previousScreen"
  | "filter"
  | "next"
  | "previous"
  | "sort"
  | "reverse"
  | "pause"
  | "help"
  | "palette"
  | "quit"
  | "plan"
  | "reload"
  | "rollback"
  | "restart"
  | "replay"
  | "cancel"
  | "release"
  | "allow";

export interface Binding {
  /** Any of these; the first is the one that is shown in hints. */
  readonly keys: readonly [string, ...string[]];
  readonly action: Action;
  /** What it does, starting small. */
  readonly does: string;
  /** Only there. Absent: everywhere. */
  readonly on?: readonly ScreenId[];
  /** Changes something; not there with `--read-only`. */
  readonly changes?: true;
  /** One word for the last line. */
  readonly hint?: string;
}

export const bindings: readonly Binding[] = [
  { keys: ["j", "↓"], action: "down", does: "move down" },
  { keys: ["k", "↑"], action: "up", does: "move up" },
  { keys: ["ctrl+d", "PgDn"], action: "pageDown", does: "move a page down" },
  { keys: ["ctrl+u", "PgUp"], action: "pageUp", does: "move a page up" },
  { keys: ["g", "Home"], action: "first", does: "go to the first" },
  { keys: ["G", "End"], action: "last", does: "go to the last" },
  { keys: ["Enter", "l", "→"], action: "open", does: "look at it closely", hint: "open" },
  { keys: ["Esc", "h", "←"], action: "back", does: "go back; clear the filter" },
  {
    keys: ["t"],
    action: "tab",
    does: "show the other list",
    on: ["hooks", "updates", "firewall", "settings"],
    hint: "list",
  },
  { keys: ["Tab"], action: "nextScreen", does: "next screen" },
  { keys: ["Shift+Tab"], action: "previousScreen", does: "previous screen" },
  { keys: ["/"], action: "filter", does: "show only what has a text in it", hint: "filter" },
  { keys: ["n"], action: "next", does: "next match, from the last to the first" },
  { keys: ["N"], action: "previous", does: "previous match" },
  { keys: ["s"], action: "sort", does: "sort by the next column", hint: "sort" },
  { keys: ["S"], action: "reverse", does: "turn the order round" },
  {
    keys: ["Space"],
    action: "pause",
    does: "hold everything still, or let it go on",
    hint: "pause",
  },
  {
    keys: ["p"],
    action: "plan",
    does: "say what a reload would change",
    on: ["config"],
    hint: "plan",
  },
  {
    keys: ["r"],
    action: "reload",
    does: "read the configuration now",
    on: ["config"],
    changes: true,
    hint: "reload",
  },
  {
    keys: ["b"],
    action: "rollback",
    does: "run the chosen generation again",
    on: ["config"],
    changes: true,
    hint: "roll back",
  },
  {
    keys: ["r"],
    action: "replay",
    does: "send the request of the chosen run, or of the hook's latest one, once more",
    on: ["hooks"],
    changes: true,
    hint: "replay",
  },
  {
    keys: ["x"],
    action: "cancel",
    does: "end the chosen run",
    on: ["hooks"],
    changes: true,
    hint: "cancel",
  },
  {
    keys: ["a"],
    action: "allow",
    does: "say what would allow the chosen denied domain, or the one that was denied last, and do it if you agree",
    on: ["firewall"],
    changes: true,
    hint: "allow",
  },
  {
    keys: ["R"],
    action: "restart",
    does: "start the chosen plugin afresh",
    on: ["plugins"],
    changes: true,
    hint: "restart",
  },
  {
    keys: ["U"],
    action: "release",
    does: "release the chosen plugin from quarantine",
    on: ["plugins"],
    changes: true,
    hint: "release",
  },
  { keys: [":"], action: "palette", does: "go anywhere, do anything, by name", hint: "go" },
  { keys: ["?"], action: "help", does: "show the keys", hint: "help" },
  { keys: ["q", "ctrl+c"], action: "quit", does: "quit", hint: "quit" },
];

/** What holds on this screen. */
export function bindingsOn(screen: ScreenId, readOnly: boolean): readonly Binding[] {
  return bindings.filter(
    ({ on, changes }) => (!on || on.includes(screen)) && !(readOnly && changes),
  );
}

export function actionOf(key: string, screen: ScreenId, readOnly: boolean): Action | undefined {
  return bindingsOn(screen, readOnly).find(({ keys }) => keys.includes(key))?.action;
}
