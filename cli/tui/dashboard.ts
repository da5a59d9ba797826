/** The dashboard without its terminal: keys and the daemon's words go in, frames come out. */
import type { Control } from "../control/client.js";
import type { Effect, ScreenId, Screens } from "../plugin-api/screen.js";
import { performEffect } from "./effects.js";
import type { Model } from "./model/model.js";
import { type Focus, ModelSource, pause } from "./model/source.js";
import { screenOf } from "./screens/all.js";
import { press } from "./ui/press.js";
import { firstUi, stateOf, type Ui } from "./ui/ui.js";
import { frame, roomOf, type TerminalSize } from "./view/frame.js";
import type { Theme } from "./view/theme.js";

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

  constructor(options: DashboardOptions) {
    this.#options = options;
    this.#themes = options.themes;
    this.#source = new ModelSource(options.control, options.screens);
    this.#ui = firstUi(options.screen, options.readOnly);
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
    const model = this.#model;
    const room = roomOf(model, this.#ui, size);
    const { ui, effect } = press(this.#ui, key, {
      ...{ model, theme: this.#themes[0], screens: this.#options.screens },
      ...room,
    });
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
    const { opensRuns } = screenOf(this.#options.screens, screen);
    const { open, selected } = stateOf(this.#ui);
    const generation = open ?? selected ?? this.#source.model.generations[0]?.number;
    return {
      pending: screen === "config",
      screens: [screen],
      logs: screen === "logs",
      ...(generation !== undefined && screen === "config" && { generation: Number(generation) }),
      ...(open !== undefined && opensRuns && { run: open }),
    };
  }

  async #tick(): Promise<void> {
    const { signal } = this.#over;
    while (!signal.aborted) {
      await this.#source.ask(this.#attention);
      this.#show();
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
    } else if (effect.kind === "more") {
      this.#source.askOlder().then(
        () => this.#show(),
        () => undefined,
      );
    } else {
      this.#ui = { ...this.#ui, notice: { text: "asking the daemon", bad: false } };
      const { control, screens } = this.#options;
      void performEffect(control, screenOf(screens, this.#ui.screen), effect).then((answer) => {
        const { notice: _, ...ui } = this.#ui;
        this.#ui =
          answer.kind === "notice"
            ? { ...ui, notice: { text: answer.text, bad: answer.bad } }
            : { ...ui, mode: { ...answer, kind: "answer", scroll: 0 } };
        this.#show();
      });
    }
  }

  #show(): void {
    if (this.#over.signal.aborted) return;
    this.#source.refresh();
    this.#version += 1;
    for (const listener of this.#listeners) listener();
  }
}
