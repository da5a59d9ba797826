/** The current stage and the log of each run, in memory only. */
import type { PluginContext } from "reeve/plugin";

type Clock = PluginContext["clock"];

export interface Stage {
  /** In lower case: `looking up versions`. */
  readonly name: string;
  /** Progress: `done` of `of`. */
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

/** The number of kept runs, and of lines for each. */
const kept = { runs: 100, lines: 50 } as const;

export class Stages {
  readonly #clock: Clock;
  readonly #progress = new Map<number, RunProgress>();
  /** The current run of each config. */
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

  /** Sets the stage of the config's current run, and logs the start of a new stage. */
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

  /** Both absent if nothing is kept. */
  of(run: number): { readonly stage?: Stage; readonly log?: readonly StageLine[] } {
    const progress = this.#progress.get(run);
    if (!progress) return {};
    return { ...(progress.stage && { stage: progress.stage }), log: progress.lines };
  }
}
