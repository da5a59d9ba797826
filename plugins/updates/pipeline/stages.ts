/** What runs are doing at the moment, and what they did: for people who watch. Kept in memory only. */
import type { PluginContext } from "reeve/plugin";

type Clock = PluginContext["clock"];

export interface Stage {
  /** What it does, starting small: `looking up versions`. */
  readonly name: string;
  /** How far: so many of so many. */
  readonly done?: number;
  readonly of?: number;
}

export interface StageLine {
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly text: string;
}

interface RunProgress {
  stage: Stage | undefined;
  readonly lines: StageLine[];
}

/** Runs whose lines are kept, and lines of one. */
const kept = { runs: 100, lines: 50 } as const;

export class Stages {
  readonly #clock: Clock;
  readonly #progress = new Map<number, RunProgress>();
  /** The run of a config: it has one at a time. */
  readonly #running = new Map<number, number>();

  constructor(clock: Clock) {
    this.#clock = clock;
  }

  begin(config: number, run: number): void {
    this.#running.set(config, run);
    this.#progress.set(run, { stage: undefined, lines: [] });
    const [oldest] = this.#progress.keys();
    if (this.#progress.size > kept.runs && oldest !== undefined) this.#progress.delete(oldest);
  }

  /** Of the run of this config; where it has none, nothing is kept. A stage is a line when it begins. */
  say(config: number, stage: Stage): void {
    const progress = this.#progress.get(this.#running.get(config) ?? -1);
    if (!progress) return;
    const isNew = progress.stage?.name !== stage.name;
    progress.stage = stage;
    if (!isNew || progress.lines.length >= kept.lines) return;
    const many = stage.of === undefined ? "" : `, ${stage.of} in all`;
    progress.lines.push({ at: this.#clock.now(), text: `${stage.name}${many}` });
  }

  end(config: number, run: number): void {
    if (this.#running.get(config) === run) this.#running.delete(config);
    const progress = this.#progress.get(run);
    if (progress) progress.stage = undefined;
  }

  /** Both absent where nothing is kept. */
  of(run: number): { readonly stage?: Stage; readonly log?: readonly StageLine[] } {
    const progress = this.#progress.get(run);
    if (!progress) return {};
    return { ...(progress.stage && { stage: progress.stage }), log: progress.lines };
  }
}
