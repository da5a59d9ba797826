/** The dashboard without its terminal: keys and the daemon's words go in, frames come out. */
import type { Control } from "../control/client.js";
import type { Effect, Screen, ScreenId, Screens } from "../plugin-api/screen.js";
import { countText } from "../print/units.js";
import { clipboardSequence } from "./edit/clipboard.js";
import { type Outside, performEffect } from "./effects.js";
import type { Model } from "./model/model.js";
import { type Focus, ModelSource, pause } from "./model/source.js";
import type { MouseEvent } from "./mouse.js";
import { screenOf, viewOf } from "./screens/all.js";
import { chosenIndex } from "./ui/chosen.js";
import { point } from "./ui/point.js";
import { type FrameContext, type Pressed, press } from "./ui/press.js";
import { firstUi, stateOf, type Ui } from "./ui/ui.js";
import { frame, roomOf, type TerminalSize } from "./view/frame.js";
import type { Theme } from "./view/theme.js";
import { markingTheme, zoneAt } from "./view/zones.js";

/** Milliseconds between two presses that are one double press. */
const DOUBLE = 400;

export interface DashboardOptions {
  readonly control: Control;
  /** The one to begin with first. */
  readonly themes: readonly [Theme, ...Theme[]];
  /** Milliseconds between two looks at the daemon. */
  readonly interval: number;
  readonly screen: ScreenId;
  readonly screens: Screens;
  readonly readOnly: boolean;
}

/** What only a terminal can do. */
export interface TerminalActions {
  readonly outside: Outside;
  readonly write: (text: string) => void;
}

export class Dashboard {
  readonly #options: DashboardOptions;
  readonly #source: ModelSource;
  readonly #over = new AbortController();
  readonly #listeners = new Set<() => void>();
  #ui: Ui;
  #themes: DashboardOptions["themes"];
  /** What is shown while nothing moves on. */
  #held: Model | undefined;
  #version = 0;
  #pressed: { readonly zone: string | undefined; readonly at: number } = { zone: "", at: 0 };
  #terminal: TerminalActions = { outside: (task) => task(), write: () => undefined };

  constructor(options: DashboardOptions) {
    this.#options = options;
    this.#themes = options.themes;
    this.#source = new ModelSource(options.control, options.screens);
    this.#ui = firstUi(options.screen, options.readOnly);
  }

  set terminal(actions: TerminalActions) {
    this.#terminal = actions;
  }

  set themes(themes: DashboardOptions["themes"]) {
    this.#themes = themes;
  }

  /** Aborted on quit. */
  get over(): AbortSignal {
    return this.#over.signal;
  }

  /** Resolves after the first responses. */
  async open(): Promise<void> {
    await this.#source.ask(this.#attention);
  }

  /** Until quit; rejects where the daemon cannot be understood. */
  async run(): Promise<void> {
    const { signal } = this.#over;
    const following = this.#source.follow(signal, () => this.#show());
    const ticking = this.#tick();
    try {
      await Promise.race([following, ticking]);
    } finally {
      this.quit();
      await Promise.allSettled([following, ticking]);
    }
  }

  quit(): void {
    this.#over.abort();
  }

  /** For React's `useSyncExternalStore`. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  };
  readonly version = (): number => this.#version;

  frame(size: TerminalSize): readonly string[] {
    const { screens } = this.#options;
    return frame({ model: this.#model, ui: this.#ui, theme: this.#themes[0], screens }, size);
  }

  /** `key` as the key map names it. */
  press(key: string, size: TerminalSize): void {
    this.#apply(press(this.#ui, key, this.#shown(size)));
  }

  /** A press or a turn of the wheel, where the terminal saw it. */
  point(event: MouseEvent, size: TerminalSize): void {
    const theme = markingTheme(this.#themes[0]);
    const { screens } = this.#options;
    const lines = frame({ model: this.#model, ui: this.#ui, theme, screens }, size);
    const zone = zoneAt(lines[event.line] ?? "", event.column);
    const now = performance.now();
    const isDouble = zone === this.#pressed.zone && now - this.#pressed.at < DOUBLE;
    if (event.kind === "press") this.#pressed = { zone, at: now };
    this.#apply(point(this.#ui, event, zone, this.#shown(size), isDouble));
  }

  #shown(size: TerminalSize): FrameContext {
    const model = this.#model;
    return {
      ...{ model, theme: this.#themes[0], screens: this.#options.screens },
      ...roomOf(model, this.#ui, size),
    };
  }

  #apply({ ui, effect }: Pressed): void {
    const model = this.#model;
    const wasOpen = this.#attention;
    this.#held = ui.paused ? model : undefined;
    this.#ui = ui;
    if (effect) this.#do(effect);
    if (JSON.stringify(this.#attention) !== JSON.stringify(wasOpen)) this.#look();
    this.#show();
  }

  get #model(): Model {
    const live = this.#source.model;
    // What is opened while all stands still is shown nevertheless.
    return this.#held
      ? { ...this.#held, run: live.run, generation: live.generation, pending: live.pending }
      : live;
  }

  get #attention(): Focus {
    const { screen } = this.#ui;
    const run = this.#runOf(screenOf(this.#options.screens, screen));
    const { open, selected } = stateOf(this.#ui);
    const isFinding = this.#ui.mode.kind === "find";
    const generation = open ?? selected ?? this.#source.model.generations[0]?.number;
    return {
      pending: screen === "config",
      screens: isFinding ? this.#options.screens.map(({ id }) => id) : [screen],
      logs: isFinding || screen === "logs",
      ...(generation !== undefined && screen === "config" && { generation: Number(generation) }),
      ...(run !== undefined && { run }),
    };
  }

  /** The run that is open, or that the chosen row is about. */
  #runOf(screen: Screen): string | undefined {
    const state = stateOf(this.#ui);
    if (state.open !== undefined && screen.opensRuns) return state.open;
    if (!screen.run) return undefined;
    const context = { model: this.#model, theme: this.#themes[0], width: 100, height: 20 };
    const view = viewOf(context, screen, state);
    const list = screen.list(view);
    const id = list.idAt(chosenIndex(state, list));
    return id === undefined ? undefined : screen.run(view, id);
  }

  async #tick(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      const attention = this.#attention;
      await this.#source.ask(attention);
      this.#show();
      // The first row may be another one by now.
      if (JSON.stringify(this.#attention) !== JSON.stringify(attention)) this.#look();
      await pause(this.#options.interval, signal);
    }
  }

  #look(): void {
    this.#source.askClosely(this.#attention).then(
      () => this.#show(),
      // The next tick asks again.
      () => undefined,
    );
  }

  #do(effect: Effect): void {
    if (effect.kind === "quit") this.quit();
    else if (effect.kind === "theme") {
      const [first, second = first, ...others] = this.#themes;
      this.#themes = second === first ? [first] : [second, ...others, first];
      this.#ui = { ...this.#ui, notice: { text: `The theme is ${second.name}.`, bad: false } };
    } else if (effect.kind === "copy") {
      this.#ui = { ...this.#ui, notice: this.#copy(effect.text) };
    } else if (effect.kind === "more") {
      this.#source.askOlder().then(
        () => this.#show(),
        () => undefined,
      );
    } else {
      this.#ui = { ...this.#ui, notice: { text: "asking the daemon", bad: false } };
      const { control, screens } = this.#options;
      void performEffect(
        control,
        screenOf(screens, this.#ui.screen),
        effect,
        this.#terminal.outside,
      ).then((answer) => {
        const { notice: _, ...ui } = this.#ui;
        this.#ui =
          answer.kind === "notice"
            ? { ...ui, notice: { text: answer.text, bad: answer.bad } }
            : { ...ui, mode: { ...answer, kind: "answer", scroll: 0 } };
        this.#show();
      });
    }
  }

  #copy(text: string): NonNullable<Ui["notice"]> {
    const sequence = clipboardSequence(text);
    if (sequence === undefined) return { text: "This is too long for a clipboard.", bad: true };
    this.#terminal.write(sequence);
    const lines = countText(text.split("\n").length, "line");
    return { text: `Sent ${lines} to the clipboard of the terminal.`, bad: false };
  }

  #show(): void {
    if (this.#over.signal.aborted) return;
    this.#source.refresh();
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
