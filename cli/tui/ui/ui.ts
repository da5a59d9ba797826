/** What somebody has chosen to see. Changed only by keys (`press.ts`). */
import type { AllowRequest, FileEdit } from "../allow/propose.js";
import type { ListOptions } from "../view/list.js";

export type ScreenId =
  | "overview"
  | "hooks"
  | "updates"
  | "firewall"
  | "settings"
  | "plugins"
  | "config"
  | "logs";

/** What is done when somebody agrees. */
export type Effect =
  | { readonly kind: "quit" }
  | { readonly kind: "plan" }
  | { readonly kind: "reload" }
  | { readonly kind: "rollback"; readonly generation: number }
  | { readonly kind: "restart"; readonly plugin: string }
  | { readonly kind: "release"; readonly plugin: string }
  | { readonly kind: "replay"; readonly run: string }
  | { readonly kind: "cancel"; readonly run: string }
  /** Says what allowing it would change; changes nothing. */
  | { readonly kind: "allow"; readonly wanted: AllowRequest }
  | { readonly kind: "write"; readonly edit: FileEdit }
  | { readonly kind: "more" };

/** An effect that somebody is asked about. */
export interface ActionProposal {
  readonly question: string;
  readonly effect: Effect;
}

export interface ScreenState extends ListOptions {
  /** The row that was chosen; stays with it while rows come and go. Absent: the first, whatever it is. */
  readonly selected?: string;
  /** Where the chosen row was last: the place to be when it has gone. */
  readonly index: number;
  /** Which of the screen's lists. */
  readonly tab: number;
  /** What is looked at closely. */
  readonly open?: string;
  /** First line that is seen of what is open. */
  readonly scroll: number;
}

export type Mode =
  | { readonly kind: "browse" }
  | { readonly kind: "filter"; readonly text: string; readonly before: string }
  | { readonly kind: "palette"; readonly text: string; readonly chosen: number }
  | { readonly kind: "help"; readonly scroll: number }
  | { readonly kind: "confirm"; readonly question: string; readonly effect: Effect }
  /** An answer, to be read, and perhaps to be agreed to. */
  | {
      readonly kind: "answer";
      readonly title: string;
      readonly text: string;
      readonly scroll: number;
      readonly offer?: ActionProposal;
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

const fresh: ScreenState = { filter: "", reverse: false, index: 0, tab: 0, scroll: 0 };

export function firstUi(screen: ScreenId, readOnly: boolean): Ui {
  return { screen, screens: {}, mode: { kind: "browse" }, paused: false, readOnly };
}

export const stateOf = ({ screen, screens }: Ui): ScreenState => screens[screen] ?? fresh;

export function withState(ui: Ui, change: Partial<ScreenState>): Ui {
  const next = { ...stateOf(ui), ...change };
  return { ...ui, screens: { ...ui.screens, [ui.screen]: next } };
}

/** Without what is `undefined` there. */
export function forget(ui: Ui, name: "selected" | "open" | "sort"): Ui {
  const { [name]: _, ...rest } = stateOf(ui);
  return { ...ui, screens: { ...ui.screens, [ui.screen]: rest } };
}
