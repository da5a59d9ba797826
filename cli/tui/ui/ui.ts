/** What the user has chosen to see. Only keys change it (`press.ts`). */
import type { Confirmation, Effect, ScreenId, ScreenState } from "../../plugin-api/screen.js";

export type Mode =
  | { readonly kind: "browse" }
  | { readonly kind: "filter"; readonly text: string; readonly before: string }
  | { readonly kind: "palette"; readonly text: string; readonly chosen: number }
  /** Finds anything by its name. */
  | { readonly kind: "find"; readonly text: string; readonly chosen: number }
  | { readonly kind: "help"; readonly scroll: number }
  | { readonly kind: "confirm"; readonly question: string; readonly effect: Effect }
  /** A result to read, and perhaps to confirm. */
  | {
      readonly kind: "answer";
      readonly title: string;
      readonly text: string;
      readonly scroll: number;
      readonly offer?: Confirmation;
    };

export interface Ui {
  readonly screen: ScreenId;
  readonly screens: Readonly<Partial<Record<ScreenId, ScreenState>>>;
  readonly mode: Mode;
  /** What is shown does not move on. */
  readonly paused: boolean;
  readonly readOnly: boolean;
  /** A word on the last line, until the next key. */
  readonly notice?: { readonly text: string; readonly bad: boolean };
}

export const freshState: ScreenState = { filter: "", reverse: false, index: 0, tab: 0, scroll: 0 };

export function firstUi(screen: ScreenId, readOnly: boolean): Ui {
  return { screen, screens: {}, mode: { kind: "browse" }, paused: false, readOnly };
}

export const stateOf = ({ screen, screens }: Ui): ScreenState => screens[screen] ?? freshState;

export function withState(ui: Ui, change: Partial<ScreenState>): Ui {
  const next = { ...stateOf(ui), ...change };
  return { ...ui, screens: { ...ui.screens, [ui.screen]: next } };
}

/** Without a choice that was made. */
export function forget(ui: Ui, name: "selected" | "open" | "sort"): Ui {
  const { [name]: _, ...rest } = stateOf(ui);
  return { ...ui, screens: { ...ui.screens, [ui.screen]: rest } };
}

/** Another list of its screen, from its first row. */
export function shownList(ui: Ui, tab: number): Ui {
  const there = forget(forget(forget(ui, "selected"), "sort"), "open");
  return withState(there, { tab, index: 0, filter: "" });
}
