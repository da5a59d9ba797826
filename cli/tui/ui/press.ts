/** What a key does: a pure function from one state to the next, and the effect to perform. */

import type { Effect, Screen, Screens, View } from "../../plugin-api/screen.js";
import { screenOf, viewOf } from "../screens/all.js";
import { chosenIndex } from "./chosen.js";
import { copyText } from "./copy.js";
import { finding } from "./finding.js";
import { actionOf, ownKeys } from "./keys.js";
import { move, moveScroll } from "./move.js";
import { homeOf } from "./palette.js";
import { typed } from "./typed.js";
import { forget, type Mode, shownList, stateOf, type Ui, withState } from "./ui.js";

export interface Pressed {
  readonly ui: Ui;
  readonly effect?: Effect;
}

/** What is on the screen while a key is pressed. */
export interface FrameContext extends Omit<View, "state" | "data"> {
  readonly screens: Screens;
}

const NOTHING_DONE = { text: "Nothing was done.", bad: false };

/** `key` is named as in the key map: a character, `Enter`, `ctrl+d`. */
export function press(before: Ui, key: string, shown: FrameContext): Pressed {
  const { notice: _, ...ui } = before;
  const { mode } = ui;
  if (key === "ctrl+c") return { ui, effect: { kind: "quit" } };
  if (mode.kind === "confirm") return confirmed(ui, mode, key);
  if (mode.kind === "filter" || mode.kind === "palette" || mode.kind === "find") {
    const result =
      mode.kind === "find" ? finding(ui, mode, key, shown) : typed(ui, mode, key, shown.screens);
    if (!("action" in result)) return result;
    const home = homeOf(result.action, shown.screens);
    const there = home === undefined ? result.ui : { ...result.ui, screen: home };
    return acted(there, result.action, shown);
  }
  const action = actionOf(key, screenOf(shown.screens, ui.screen), ui.readOnly);
  if (mode.kind === "answer" && mode.offer && (key === "y" || key === "Y")) {
    return { ui: { ...ui, mode: { kind: "browse" } }, effect: mode.offer.effect };
  }
  if (mode.kind === "help" || mode.kind === "answer") return readOn(ui, mode, action, shown);
  if (action !== undefined) return acted(ui, action, shown);
  const screen = /^[1-9]$/.test(key) ? shown.screens[Number(key) - 1] : undefined;
  return { ui: screen === undefined ? ui : { ...ui, screen: screen.id } };
}

function confirmed(ui: Ui, { effect }: Extract<Mode, { kind: "confirm" }>, key: string): Pressed {
  const browsing: Ui = { ...ui, mode: { kind: "browse" } };
  if (key === "y" || key === "Y") return { ui: browsing, effect };
  return { ui: { ...browsing, notice: NOTHING_DONE } };
}

/** In a text over the screen: every way out closes it. */
function readOn(
  ui: Ui,
  mode: Extract<Mode, { kind: "help" | "answer" }>,
  action: string | undefined,
  shown: FrameContext,
): Pressed {
  const scroll = action === undefined ? undefined : moveScroll(mode.scroll, action, shown.height);
  if (scroll !== undefined) return { ui: { ...ui, mode: { ...mode, scroll } } };
  const closes = ["back", "quit", "help", "open"].includes(action ?? "");
  if (!closes) return { ui };
  const browsing: Ui = { ...ui, mode: { kind: "browse" } };
  const isRefused = mode.kind === "answer" && mode.offer !== undefined;
  return { ui: isRefused ? { ...browsing, notice: NOTHING_DONE } : browsing };
}

function acted(ui: Ui, action: string, shown: FrameContext): Pressed {
  const state = stateOf(ui);
  const screen = screenOf(shown.screens, ui.screen);
  const view = viewOf(shown, screen, state);
  if (state.open !== undefined) {
    const scroll = moveScroll(state.scroll, action, shown.height);
    if (scroll !== undefined) return { ui: withState(ui, { scroll }) };
    if (action === "back") return { ui: forget(ui, "open") };
  }
  switch (action) {
    case "help":
      return { ui: { ...ui, mode: { kind: "help", scroll: 0 } } };
    case "palette":
      return { ui: { ...ui, mode: { kind: "palette", text: "", chosen: 0 } } };
    case "find":
      return { ui: { ...ui, mode: { kind: "find", text: "", chosen: 0 } } };
    case "filter":
      return { ui: { ...ui, mode: { kind: "filter", text: state.filter, before: state.filter } } };
    case "quit":
      return { ui, effect: { kind: "quit" } };
    case "theme":
      return { ui, effect: { kind: "theme" } };
    case "pause":
      return { ui: { ...ui, paused: !ui.paused } };
    case "nextScreen":
    case "previousScreen":
      return {
        ui: { ...ui, screen: adjacentScreen(ui, shown.screens, action === "nextScreen" ? 1 : -1) },
      };
    case "tab": {
      const tabs = screen.tabs?.length ?? 1;
      return { ui: shownList(ui, (state.tab + 1) % tabs) };
    }
    case "back":
      return { ui: state.filter === "" ? ui : withState(ui, { filter: "" }) };
    case "sort":
      return { ui: sorted(ui, screen.list(view).columns.length) };
    case "raw":
      return { ui: withState(ui, { raw: !state.raw }) };
    case "copy":
      return copied(ui, screen, view);
    case "edit":
      return edited(ui, screen, view);
    case "reverse":
      return { ui: withState(ui, { reverse: !state.reverse }) };
    case "open":
      return { ui: opened(ui, screen, view) };
    default:
      return ownKeys(screen).some((key) => key.action === action)
        ? proposed(ui, screen, view, action)
        : move(ui, action, view, screen.list(view));
  }
}

function adjacentScreen(ui: Ui, screens: Screens, step: number): Ui["screen"] {
  const index = screens.findIndex(({ id }) => id === ui.screen) + step;
  return screens.at(index % screens.length)?.id ?? ui.screen;
}

function sorted(ui: Ui, columns: number): Ui {
  if (columns === 0) return ui;
  const { sort } = stateOf(ui);
  if (sort === columns - 1) return forget(ui, "sort");
  return withState(ui, { sort: (sort ?? -1) + 1 });
}

function opened(ui: Ui, screen: Screen, view: View): Ui {
  const list = screen.list(view);
  const id = list.idAt(chosenIndex(view.state, list));
  if (id === undefined || view.state.open !== undefined) return ui;
  const change = screen.enter?.(view, id);
  if (change)
    return withState(
      change.tab === undefined ? ui : forget(forget(ui, "selected"), "sort"),
      change,
    );
  return screen.detail ? withState(ui, { open: id, selected: id, scroll: 0 }) : ui;
}

function copied(ui: Ui, screen: Screen, view: View): Pressed {
  const list = screen.list(view);
  const id = view.state.open ?? list.idAt(chosenIndex(view.state, list));
  return id === undefined
    ? { ui }
    : { ui, effect: { kind: "copy", text: copyText(screen, view, id) } };
}

function edited(ui: Ui, screen: Screen, view: View): Pressed {
  const list = screen.list(view);
  const id = view.state.open ?? list.idAt(chosenIndex(view.state, list));
  const block = id === undefined ? undefined : screen.block?.(view, id);
  if (block !== undefined) return { ui, effect: { kind: "edit", block } };
  return { ui: { ...ui, notice: { text: "This has no block of its own.", bad: true } } };
}

function confirm(ui: Ui, question: string, effect: Effect): Pressed {
  return { ui: { ...ui, mode: { kind: "confirm", question, effect } } };
}

function proposed(ui: Ui, screen: Screen, view: View, action: string): Pressed {
  const list = screen.list(view);
  const id = view.state.open ?? list.idAt(chosenIndex(view.state, list));
  const proposal = screen.propose?.(view, id, action);
  if (proposal === undefined) return { ui };
  if (typeof proposal === "string") return { ui: { ...ui, notice: { text: proposal, bad: true } } };
  if (proposal.question === undefined) return { ui, effect: proposal.effect };
  return confirm(ui, proposal.question, proposal.effect);
}
