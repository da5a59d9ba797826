/** Finds anything that a screen lists, by its name: blocks, runs, events, plugins, generations; also screens and actions. */
import type { Screen, ScreenState, Screens, View } from "../../plugin-api/screen.js";
import { oneLine } from "../../print/text.js";
import { viewOf } from "../screens/all.js";
import type { ScreenList } from "../view/list.js";
import { fuzzyScore } from "./fuzzy.js";
import { paletteEntries } from "./palette.js";
import { freshState, type Ui } from "./ui.js";

/** Something that was found, and how it is opened. */
export interface FindHit {
  /** Names it; the query is compared with this first. */
  readonly name: string;
  /** The screen and its list, such as `Hooks › Runs`. */
  readonly where: string;
  /** What else its row says; only for rows that are seen. */
  readonly about: () => string;
  readonly opens:
    | { readonly screen: string; readonly state: Partial<ScreenState>; readonly row?: string }
    | { readonly action: string };
}

/** What is searched. */
export interface FindContext extends Pick<View, "model" | "theme" | "width" | "height"> {
  readonly screens: Screens;
}

/** Rows of a list that are searched, from its first one. */
export const SEARCHED = 5000;
/** Hits of one list, so that many runs do not hide the block; fewer where nothing was written yet. */
const OF_LIST = 20;
const OF_LIST_UNASKED = 4;
/** Less than any match of a name. */
const IN_TEXT = 0.5;

/** What can be found in one list. A hit is made only of what was found. */
interface Candidates {
  readonly size: number;
  /** `text` in small letters. */
  readonly at: (index: number) => { readonly name: string; readonly text: string } | undefined;
  readonly hit: (index: number) => FindHit | undefined;
}

interface Scored {
  readonly hit: FindHit;
  readonly score: number;
}

/** Best first. Each word of the query must be in the name, fuzzily, or in the text as it is. */
export function findHits(ui: Ui, query: string, context: FindContext): readonly FindHit[] {
  const terms = query.trim().toLowerCase().split(/\s+/).filter(Boolean);
  const most = terms.length === 0 ? OF_LIST_UNASKED : OF_LIST;
  const known = new Set<string>();
  const scored: Scored[] = [];
  for (const candidates of candidatesOf(ui, context)) {
    const own: Array<{ readonly index: number; readonly score: number }> = [];
    const scoreOf = scorer(terms);
    for (let index = 0; index < candidates.size; index += 1) {
      const row = candidates.at(index);
      const score = row && scoreOf(row.name, row.text);
      if (score !== undefined) own.push({ index, score });
      if (terms.length === 0 && own.length >= most) break;
    }
    for (const { index, score } of own.sort((a, b) => b.score - a.score).slice(0, most)) {
      const hit = candidates.hit(index);
      if (hit && isNew(hit, known)) scored.push({ hit, score });
    }
  }
  return scored.sort((a, b) => b.score - a.score).map(({ hit }) => hit);
}

/** One event is on more than one screen. */
function isNew({ name, opens }: FindHit, known: Set<string>): boolean {
  const row = "row" in opens ? opens.row : undefined;
  if (row === undefined) return true;
  const key = `${row} ${name}`;
  if (known.has(key)) return false;
  known.add(key);
  return true;
}

/** Names repeat, as those of runs do: each is compared once. */
function scorer(terms: readonly string[]) {
  const ofName = new Map<string, ReadonlyArray<number | undefined>>();
  return (name: string, text: string): number | undefined => {
    let scores = ofName.get(name);
    if (scores === undefined) {
      scores = terms.map((term) => fuzzyScore(term, name));
      ofName.set(name, scores);
    }
    let sum = 0;
    for (const [index, score] of scores.entries()) {
      const points = score ?? (text.includes(terms[index] ?? "") ? IN_TEXT : undefined);
      if (points === undefined) return undefined;
      sum += points;
    }
    return sum;
  };
}

/** One group a list. The overview comes last: what it lists is on another screen, too. */
function candidatesOf(ui: Ui, context: FindContext): readonly Candidates[] {
  const [overview, ...others] = context.screens;
  const named = paletteEntries(ui, "", context.screens).map(({ name, about, does }): FindHit => {
    const opens = "screen" in does ? { ...does, state: {} } : does;
    const where = "screen" in does ? "screen" : "action";
    return { name, where, about: () => about, opens };
  });
  const lists = [...others, overview].flatMap((screen) => listsOf(screen, context));
  return [ofHits(named), ...lists];
}

const ofHits = (hits: readonly FindHit[]): Candidates => ({
  size: hits.length,
  at: (index) => {
    const hit = hits[index];
    return hit && { name: hit.name, text: hit.about().toLowerCase() };
  },
  hit: (index) => hits[index],
});

function listsOf(screen: Screen, context: FindContext): readonly Candidates[] {
  return (screen.tabs ?? [""]).map((tab, index) => {
    const state = { ...freshState, tab: index };
    const view = viewOf(context, screen, state);
    const where = tab === "" ? screen.title : `${screen.title} › ${tab}`;
    const list = screen.list(view);
    if (list.rowAt === undefined) return ofHits(panelRows(screen, where, view));
    return ofRows(list, list.rowAt, { screen: screen.id, where, tab: index });
  });
}

const ofRows = (
  list: ScreenList,
  at: NonNullable<ScreenList["rowAt"]>,
  { screen, where, tab }: { readonly screen: string; readonly where: string; readonly tab: number },
): Candidates => ({
  size: Math.min(SEARCHED, list.size),
  at,
  hit: (index) => {
    const row = list.idAt(index);
    const name = at(index)?.name;
    if (row === undefined || name === undefined) return undefined;
    const about = () => (list.cells?.(index, 1).rows[0]?.cells ?? []).join("  ");
    const opens = { screen, row, state: { tab, filter: "", selected: row, index } };
    return { name, where, about, opens };
  },
});

/** A screen that shows the panels of its plugin as lines: the first column of a table has the names. */
function panelRows(
  { id, plugin = id }: Screen,
  where: string,
  { model, state }: View,
): readonly FindHit[] {
  const panels = model.panels.find((each) => each.plugin === plugin)?.panels ?? [];
  return panels.flatMap((panel) => {
    const named = panel.kind === "table" ? panel.columns[0] : undefined;
    if (panel.kind !== "table" || !named || named.format !== undefined) return [];
    return panel.rows.map((row): FindHit => {
      const name = oneLine(String(row[named.id] ?? ""));
      const text = oneLine(Object.values(row).join(" "));
      return {
        ...{ name, where: `${where} › ${oneLine(panel.title)}`, about: () => text },
        opens: { screen: id, state: { tab: state.tab, filter: name, index: 0 } },
      };
    });
  });
}
