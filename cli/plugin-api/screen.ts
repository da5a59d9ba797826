/** A dashboard screen: what the daemon knows, as lines. Pure: the same model gives the same lines. */

import type { ListAddition } from "../../grammar/editing/list-entry.js";
import type { Control } from "../control/client.js";
import type { FileEdit } from "../tui/edit/propose.js";
import type { Model } from "../tui/model/model.js";
import type { ListOptions, ScreenList } from "../tui/view/list.js";
import type { Theme } from "../tui/view/theme.js";

/** `overview`, `hooks`; screens of plugins have ids of their own. */
export type ScreenId = string;

export interface ScreenState extends ListOptions {
  /** The chosen row; the choice stays with it while rows come and go. Absent: the first row. */
  readonly selected?: string;
  /** Where the chosen row was last, for when it is gone. */
  readonly index: number;
  /** Which of the screen's lists. */
  readonly tab: number;
  /** The opened row. */
  readonly open?: string;
  /** First visible line of the opened row. */
  readonly scroll: number;
  /** Events as their type and data. @default as sentences */
  readonly raw?: boolean;
}

export interface View<Data = unknown> {
  readonly model: Model;
  /** What `load` of the screen returned last; `undefined` before. */
  readonly data: Data | undefined;
  readonly state: ScreenState;
  /** Cells and lines there are for it. */
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

/** A key of one screen. */
export interface ScreenKey {
  /** Any of these; hints show the first. */
  readonly keys: readonly [string, ...string[]];
  /** Passed to `propose`. Also its name in the palette. */
  readonly action: string;
  /** What it does, starting small. */
  readonly does: string;
  /** Changes something; absent with `--read-only`. */
  readonly changes?: true;
  /** One word for the last line. */
  readonly hint?: string;
}

/** What an action does. */
export type Effect =
  | { readonly kind: "quit" }
  | { readonly kind: "theme" }
  /** Hands a text to the clipboard of the terminal. */
  | { readonly kind: "copy"; readonly text: string }
  /** Opens the block of this key, such as `hook.deploy`, in the user's editor, then reloads. */
  | { readonly kind: "edit"; readonly block: string }
  | { readonly kind: "plan" }
  | { readonly kind: "reload" }
  | { readonly kind: "rollback"; readonly generation: number }
  | { readonly kind: "restart"; readonly plugin: string }
  | { readonly kind: "release"; readonly plugin: string }
  /** Shows the edit that adds an entry to a list of the configuration, and its plan; writes it when confirmed. */
  | { readonly kind: "add"; readonly addition: ListAddition }
  | { readonly kind: "write"; readonly edit: FileEdit }
  | { readonly kind: "more" }
  /** Calls `perform` of the screen. `target`: what it is about, such as the id of a run. */
  | { readonly kind: "screen"; readonly action: string; readonly target: string };

/** An effect that needs a confirmation, or one that changes nothing and needs none. */
interface ActionProposal {
  readonly question?: string | undefined;
  readonly effect: Effect;
}

export type Confirmation = ActionProposal & { readonly question: string };

/** A short one is a notice, a long one a page of its own. */
export type EffectResult =
  | { readonly kind: "notice"; readonly text: string; readonly bad: boolean }
  | {
      readonly kind: "page";
      readonly title: string;
      readonly text: string;
      readonly offer?: Confirmation;
    };

export interface Screen<Data = unknown> {
  readonly id: ScreenId;
  /** The plugin whose control routes `load` and `perform` get. @default the plugin that brings the screen */
  readonly plugin?: string;
  readonly title: string;
  /** For narrow terminals. */
  readonly short: string;
  /** One line for help. */
  readonly about: string;
  /** Names of its lists, where there is more than one. */
  readonly tabs?: readonly string[];
  readonly keys?: readonly ScreenKey[];
  /** Opening a row asks for the run of that id. */
  readonly opensRuns?: boolean;
  /** Asks for what only this screen shows, at every interval while it is open. `known` is what it returned last. */
  load?(control: Control, known: Data | undefined): Promise<Data>;
  /** What `reeve top --json` prints of the data. @default all of it */
  document?(data: Data): unknown;
  /** Lines above the list. The least important come last: they are cut when there is no room. */
  top(view: View<Data>): readonly string[];
  /** What `--once` prints above the list. @default what `top` returns */
  text?(view: View<Data>): readonly string[];
  /** Lines to the left of the list, over the whole height; then there is no `top`. `undefined`: there is no room for them. */
  side?(view: View<Data>): readonly string[] | undefined;
  list(view: View<Data>): ScreenList;
  /** What the list is of: `Runs`. */
  listTitle(view: View<Data>): string;
  /** Shown instead of an empty list. */
  empty(view: View<Data>): string;
  /** Lines that the list gets at least. @default 6 */
  readonly least?: number;
  /** The chosen row, shown below a list that leaves room. */
  preview?(view: View<Data>, id: string): readonly string[];
  /**
   * What else there is about a row, as a panel of its own from 140 columns on, such as the output of a run. The first line is its
   * title. Absent or empty: there is no such panel.
   */
  further?(view: View<Data>, id: string): readonly string[];
  /** The id of the run that a row is about: its output is asked for while the row is chosen. @default the opened one, with `opensRuns` */
  run?(view: View<Data>, id: string): string | undefined;
  /** The opened row, as lines. Absent: nothing can be opened. */
  detail?(view: View<Data>, id: string): readonly string[];
  /** What `y` copies of a row. @default its text, or what is opened */
  copy?(view: View<Data>, id: string): string | undefined;
  /** The key of the block that a row is about, such as `hook.deploy`: `e` edits it. */
  block?(view: View<Data>, id: string): string | undefined;
  /** What opening a row does instead of showing it. */
  enter?(view: View<Data>, id: string): Partial<ScreenState> | undefined;
  /** What a key of this screen does to the chosen row, `undefined` in an empty list. A text says why it cannot. */
  propose?(
    view: View<Data>,
    id: string | undefined,
    action: string,
  ): ActionProposal | string | undefined;
  /** Performs a confirmed effect of kind `screen`. */
  perform?(control: Control, action: string, target: string): Promise<EffectResult>;
}

/** In the order of their numbers. */
export type Screens = readonly [Screen, ...Screen[]];
