/** What the server sends to the page: a screen as data, without any layout. */

/** A piece of text in one role of `plugin-api/roles.ts`. */
export interface PaintedText {
  readonly text: string;
  readonly role?: string;
  readonly bold?: true;
}

/** A line in columns: the last one is at the right edge. */
export type Line = ReadonlyArray<readonly PaintedText[]>;

export interface Card {
  readonly title: string;
  readonly fact: readonly PaintedText[];
  readonly lines: readonly Line[];
}

interface ChartSeries {
  readonly name: string;
  readonly role: string;
  readonly points: readonly number[];
}

export interface ChartData {
  readonly title: string;
  readonly fact: string;
  /** The value of the upper edge; the lower one is 0. */
  readonly top: number;
  /** The values of the scale as words, from the lower edge up, in equal steps. */
  readonly scale: readonly string[];
  /** Times from the first point to the last, in equal steps. */
  readonly times: readonly string[];
  readonly series: readonly ChartSeries[];
}

export interface TimelineRow {
  readonly name: string;
  readonly runs: number;
  /** Oldest first; `role` is absent where there is no run. */
  readonly cells: ReadonlyArray<{
    readonly runs: number;
    readonly role?: string;
    readonly word?: string;
  }>;
}

export interface TableData {
  readonly title: string;
  readonly size: number;
  readonly total: number;
  readonly empty: string;
  /** Index of the first row that is sent. */
  readonly from: number;
  /** Whether there are rows after those that are sent. */
  readonly more: boolean;
  /** `index`: what `sort` of the query takes. */
  readonly columns: ReadonlyArray<{
    readonly title: string;
    readonly isNumber: boolean;
    readonly index: number;
  }>;
  readonly rows: ReadonlyArray<{
    readonly id: string;
    readonly cells: ReadonlyArray<readonly PaintedText[]>;
  }>;
}

/** What a user can do on a screen. */
export interface PageAction {
  /** What the server takes. */
  readonly action: string;
  /** For a button. */
  readonly name: string;
  /** What it does, starting small. */
  readonly does: string;
  readonly key: string;
  /** Needs no row. */
  readonly isGeneral: boolean;
}

/** An action for one row, and why it cannot be done to it. */
export interface MenuEntry extends PageAction {
  readonly why?: string;
}

/** `confirmation`: what the answer to a question sends, good once. */
export type ActionAnswer =
  | { readonly kind: "question"; readonly question: string; readonly confirmation: string }
  | { readonly kind: "notice"; readonly text: string; readonly bad: boolean }
  | { readonly kind: "copy"; readonly text: string }
  | {
      readonly kind: "page";
      readonly title: string;
      readonly text: string;
      readonly question?: string;
      readonly confirmation?: string;
    };

export interface PageData {
  /** Names this view in requests for actions. */
  readonly view: string;
  readonly actions: readonly PageAction[];
  readonly screens: ReadonlyArray<{
    readonly id: string;
    readonly title: string;
    readonly about: string;
  }>;
  readonly screen: string;
  readonly tabs: readonly string[];
  readonly tab: number;
  /** Why the daemon is not heard; absent while it is. */
  readonly lost?: string;
  readonly host: string;
  readonly cards: readonly Card[];
  readonly timeline: readonly TimelineRow[];
  readonly charts: readonly ChartData[];
  readonly top: readonly Line[];
  readonly table: TableData;
  readonly detail?: {
    readonly id: string;
    readonly lines: ReadonlyArray<readonly PaintedText[]>;
  };
}
