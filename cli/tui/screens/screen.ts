/** What a screen is: data about the model, as lines. Pure: the same model gives the same lines. */
import type { Model } from "../model/model.js";
import type { ActionProposal, ScreenId, ScreenState } from "../ui/ui.js";
import type { ScreenList } from "../view/list.js";
import type { Theme } from "../view/theme.js";

export interface View {
  readonly model: Model;
  readonly state: ScreenState;
  /** Cells and lines there are for it. */
  readonly width: number;
  readonly height: number;
  readonly theme: Theme;
}

export type ScreenAction = "restart" | "release" | "rollback" | "replay" | "cancel" | "allow";

/** Without a question nothing is changed. */
type ProposedAction =
  | ActionProposal
  | (Pick<ActionProposal, "effect"> & { readonly question?: undefined });

export interface Screen {
  readonly id: ScreenId;
  readonly title: string;
  /** For narrow terminals. */
  readonly short: string;
  /** One line for help. */
  readonly about: string;
  /** Names of its lists, where there is more than one. */
  readonly tabs?: readonly string[];
  /** Lines above the list. The least important come last: they are cut when there is no room. */
  top(view: View): readonly string[];
  list(view: View): ScreenList;
  /** What the list is of: `Runs`. */
  listTitle(view: View): string;
  /** Said where the list is empty. */
  empty(view: View): string;
  /** Lines that the list gets at least. @default 6 */
  readonly least?: number;
  /** The chosen row, shown below a list that leaves room. */
  preview?(view: View, id: string): readonly string[];
  /** What is looked at closely, as lines. Absent: nothing can be opened. */
  detail?(view: View, id: string): readonly string[];
  /** What opening a row does instead of showing it. */
  enter?(view: View, id: string): Partial<ScreenState> | undefined;
  /** What is done to the chosen row. A text says why it cannot be. */
  propose?(view: View, id: string, action: ScreenAction): ProposedAction | string | undefined;
}
