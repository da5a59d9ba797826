/** The dashboard for screen readers: lines only, one after the other. Events as they happen, and commands that are written. */
import type { Control } from "../../control/client.js";
import type {
  Effect,
  EffectResult,
  Screen,
  ScreenState,
  Screens,
  View,
} from "../../plugin-api/screen.js";
import { performEffect } from "../effects.js";
import type { Model } from "../model/model.js";
import { alertsOf } from "../screens/alerts.js";
import { screenOf, viewOf } from "../screens/all.js";
import { briefEntries, paintedEntry } from "../screens/events.js";
import { type FindHit, findHits } from "../ui/find.js";
import { ownKeys } from "../ui/keys.js";
import { firstUi, freshState } from "../ui/ui.js";
import { plainTheme } from "../view/theme.js";
import { spoken, spokenLines } from "./spoken.js";

export interface PlainOptions {
  readonly control: Control;
  readonly screens: Screens;
  readonly screen: string;
  readonly readOnly: boolean;
  readonly write: (line: string) => void;
  /** The model with the output of this run. */
  readonly withRun: (id: string) => Promise<Model>;
}

/** Rows that are read at once. */
const ROWS = 10;
const WIDTH = 160;
const HELP = [
  "A number or name of a screen reads it; overview, or 1, reads whether all is well.",
  "list NAME reads another list of the screen. more reads the next rows.",
  "open N reads row N of the last list. filter TEXT reads only rows with the text; filter alone ends that.",
  "find TEXT finds anything by its name; open N opens it.",
  "quiet stops events, events lets them be read again. quit ends.",
];

type Row = { readonly screen: Screen; readonly state: ScreenState; readonly id: string };

export class PlainSession {
  readonly #options: PlainOptions;
  #model: Model;
  #screen: Screen;
  #state: ScreenState = freshState;
  /** What the numbers of the last list are. */
  #rows: readonly Row[] = [];
  #from = 0;
  #isQuiet = false;
  #sequence = 0;
  #question: Effect | undefined;
  #verdict = "";

  constructor(options: PlainOptions, model: Model) {
    this.#options = options;
    this.#model = model;
    this.#screen = screenOf(options.screens, options.screen);
  }

  /** What is said first. */
  start(): void {
    this.#sequence = this.#model.events[0]?.sequence ?? 0;
    const { version, state } = this.#model.status ?? { version: "", state: "unknown" };
    this.#say(`reeve ${version}, ${state}. Write help for the commands, quit to end.`);
    this.#verdict = this.#judge();
    this.#readScreen();
  }

  /** Says what is new since the model before. */
  update(model: Model): void {
    this.#model = model;
    const judged = this.#judge();
    if (judged !== this.#verdict) this.#say(judged);
    this.#verdict = judged;
    const newest = model.events[0]?.sequence ?? 0;
    const fresh = briefEntries(model.events.filter(({ sequence }) => sequence > this.#sequence));
    this.#sequence = Math.max(newest, this.#sequence);
    if (this.#isQuiet) return;
    for (const entry of fresh.toReversed()) {
      this.#say(spoken(paintedEntry(entry, plainTheme)) ?? "");
    }
  }

  /** Performs a line. Resolves with false when the session is over. */
  async command(line: string): Promise<boolean> {
    const [word = "", ...rest] = line.trim().split(/\s+/);
    const text = rest.join(" ");
    if (this.#question) {
      await this.#answer(word.toLowerCase());
      return true;
    }
    const name = word.toLowerCase();
    if (name === "") return true;
    if (name === "quit" || name === "q") return false;
    if (name === "help") this.#help();
    else if (name === "quiet" || name === "events") this.#setQuiet(name === "quiet");
    else if (name === "more") this.#readRows(this.#from + ROWS);
    else if (name === "filter") this.#goTo(this.#screen, { ...this.#state, filter: text });
    else if (name === "find") this.#find(text);
    else if (name === "list") this.#readList(text);
    else if (name === "open") await this.#open(Number(text));
    else await this.#screenOrAction(name, text);
    return true;
  }

  #say(line: string): void {
    if (line !== "") this.#options.write(line);
  }

  #judge(): string {
    const alerts = alertsOf(this.#model).map(
      ({ severity, text }) => `${severity === "error" ? "failed" : "warning"}: ${text}.`,
    );
    return alerts.length === 0 ? "All is well." : alerts.join(" ");
  }

  #help(): void {
    const { screens } = this.#options;
    for (const line of HELP) this.#say(line);
    for (const [index, { title, about }] of screens.entries()) {
      this.#say(`${index + 1}, ${title}: ${about}`);
    }
    for (const { action, does } of this.#actions()) this.#say(`${action} N: ${does}`);
  }

  #actions() {
    const { readOnly } = this.#options;
    return ownKeys(this.#screen).filter(
      ({ action, changes }) => action !== "tab" && !(readOnly && changes),
    );
  }

  #setQuiet(isQuiet: boolean): void {
    this.#isQuiet = isQuiet;
    this.#say(isQuiet ? "Events are not read." : "Events are read.");
  }

  #screenNamed(name: string): Screen | undefined {
    const { screens } = this.#options;
    return (
      screens[Number(name) - 1] ??
      screens.find(({ id, title }) => id === name || title.toLowerCase() === name)
    );
  }

  #view(state = this.#state, screen = this.#screen): View {
    const context = { model: this.#model, theme: plainTheme, width: WIDTH, height: 10_000 };
    return viewOf(context, screen, state);
  }

  #goTo(screen: Screen, state: ScreenState): void {
    this.#screen = screen;
    this.#state = state;
    this.#readScreen();
  }

  #readScreen(): void {
    const { title, tabs, text, top } = this.#screen;
    const view = this.#view();
    this.#say(`${title}.${tabs ? ` Lists: ${tabs.join(", ")}.` : ""}`);
    if (this.#state.filter === "" && this.#state.tab === 0) {
      for (const line of spokenLines((text ?? top)(view))) this.#say(line);
    }
    this.#readRows(0);
  }

  #readList(name: string): void {
    const { tabs = [], title } = this.#screen;
    const tab = tabs.findIndex((each) => each.toLowerCase() === name.toLowerCase());
    if (tab < 0) {
      const known = tabs.length === 0 ? "It has one list." : `It has ${tabs.join(", ")}.`;
      this.#say(`${title} has no list \`${name}\`. ${known}`);
    } else this.#goTo(this.#screen, { ...freshState, tab });
  }

  #readRows(from: number): void {
    const view = this.#view();
    const list = this.#screen.list(view);
    const title = this.#screen.listTitle(view);
    if (list.size === 0) {
      this.#say(`${title}: ${this.#screen.empty(view)}`);
      return;
    }
    if (list.columns.length === 0) {
      for (const line of spokenLines(list.lay(0, list.size, WIDTH).rows)) this.#say(line);
      return;
    }
    if (from >= list.size) {
      this.#say("There is no more.");
      return;
    }
    this.#from = from;
    const to = Math.min(from + ROWS, list.size);
    this.#say(`${title}, ${from + 1} to ${to} of ${list.size}:`);
    const { columns = [], rows = [] } = list.cells?.(from, ROWS) ?? {};
    this.#rows = rows.map(({ id }) => ({ screen: this.#screen, state: this.#state, id }));
    for (const [index, { cells }] of rows.entries()) {
      const said = cells.map((cell, at) => namedCell(columns[at]?.title ?? "", cell));
      this.#say(`${index + 1}. ${said.filter((part) => part !== "").join(", ")}`);
    }
  }

  async #open(number: number): Promise<void> {
    const row = this.#rows[number - 1];
    if (row === undefined) {
      this.#say(`There is no row ${number}. Read a list first.`);
      return;
    }
    const { screen, id } = row;
    const view = this.#view(row.state, screen);
    const change = screen.enter?.(view, id);
    if (change) {
      this.#goTo(screen, { ...row.state, ...change });
      return;
    }
    const state = { ...row.state, open: id, selected: id };
    const run = screen.opensRuns ? id : screen.run?.(view, id);
    if (run !== undefined) this.#model = await this.#options.withRun(run);
    const lines = (screen.detail ?? screen.preview)?.(this.#view(state, screen), id) ?? [];
    this.#screen = screen;
    for (const line of spokenLines(lines)) this.#say(line);
  }

  #find(query: string): void {
    const { screens, readOnly } = this.#options;
    const { width, height } = this.#view();
    const context = { model: this.#model, screens, theme: plainTheme, width, height };
    const hits = findHits(firstUi("overview", readOnly), query, context)
      .filter(({ opens }) => "row" in opens)
      .slice(0, ROWS);
    if (hits.length === 0) this.#say(`Nothing is called \`${query}\`.`);
    this.#rows = hits.flatMap(({ opens }: FindHit) =>
      "screen" in opens && opens.row !== undefined
        ? [
            {
              screen: screenOf(screens, opens.screen),
              state: { ...freshState, ...opens.state },
              id: opens.row,
            },
          ]
        : [],
    );
    for (const [index, { name, where }] of hits.entries()) {
      this.#say(`${index + 1}. ${name}, in ${where.replaceAll(" › ", ", ")}`);
    }
  }

  async #screenOrAction(name: string, text: string): Promise<void> {
    const screen = this.#screenNamed(name);
    if (screen) return this.#goTo(screen, freshState);
    const action = this.#actions().find((each) => each.action.toLowerCase() === name);
    if (!action) return this.#say(`There is no command \`${name}\`. Write help for the commands.`);
    const row = this.#rows[text === "" ? 0 : Number(text) - 1];
    const state = row?.state ?? this.#state;
    const proposal = this.#screen.propose?.(this.#view(state), row?.id, action.action);
    if (proposal === undefined) return this.#say("There is nothing to do that with.");
    if (typeof proposal === "string") return this.#say(`${proposal}.`);
    if (proposal.question === undefined) return this.#perform(proposal.effect);
    this.#question = proposal.effect;
    this.#say(`${proposal.question} Write yes or no.`);
  }

  async #answer(word: string): Promise<void> {
    const effect = this.#question;
    this.#question = undefined;
    if (effect && (word === "yes" || word === "y")) await this.#perform(effect);
    else this.#say("Nothing was done.");
  }

  async #perform(effect: Effect): Promise<void> {
    const { kind } = effect;
    if (kind === "quit" || kind === "more" || kind === "theme" || kind === "copy") return;
    if (kind === "edit") return this.#say("An editor cannot be opened here.");
    const { control } = this.#options;
    const result: EffectResult = await performEffect(control, this.#screen, effect, async () => {
      throw new Error("There is no terminal for that.");
    });
    if (result.kind === "notice") return this.#say(result.text);
    this.#say(result.title);
    for (const line of spokenLines(result.text.split("\n"))) this.#say(line);
    if (!result.offer) return;
    this.#question = result.offer.effect;
    this.#say(`${result.offer.question} Write yes or no.`);
  }
}

/** The heading before what has no name in itself. */
function namedCell(title: string, cell: string): string {
  const said = spoken(cell);
  if (said === undefined || said === "-") return "";
  const name = title.toLowerCase();
  return /^(?:what|what happened|state|time|when|#)$/.test(name) ? said : `${name} ${said}`;
}
