/** Fills the model: the event stream for what happens, requests at every tick for the state. */
import { setTimeout as delay } from "node:timers/promises";
import { errorMessage } from "../../../daemon/errors.js";
import type { Control } from "../../control/client.js";
import { ControlError, isConfigurationProblem } from "../../control/problem.js";
import { watch } from "../../control/watch.js";
import type { Screen, ScreenId } from "../../plugin-api/screen.js";
import { ACTIVITY_SPAN } from "./activity.js";
import { Feed } from "./feed.js";
import { type KnownLogs, noLogs, withAnswer } from "./logs.js";
import { emptyModel, type Model, type PendingChange } from "./model.js";
import { MOST_RUNS, withNewest } from "./runs.js";

/** What is open, and therefore asked for. */
export interface Focus {
  readonly run?: string;
  readonly generation?: number;
  /** Screens whose own data is asked for. */
  readonly screens: readonly ScreenId[];
  /** Whether the log is asked for. */
  readonly logs?: boolean;
  /** Whether the plan of the files on disk is asked for. */
  readonly pending: boolean;
}

/** Events that are asked for at the start. */
const BACK = 1000;
/** Of plugins, that are sent every tenth of a second at most: more than anybody can read. The others are counted. */
const MOST = 20;
const PAGE = 200;
const LARGE_PAGE = 1000;
/** Runs that are asked for without being scrolled to. */
const ENOUGH_RUNS = 5000;

export class ModelSource {
  readonly #control: Control;
  readonly #screens: readonly Screen[];
  readonly #feed: Feed;
  #model: Model = emptyModel;
  #logs: KnownLogs = noLogs;
  #configurationEvents = -1;
  #generationsOf = -1;
  #fetching = false;

  constructor(control: Control, screens: readonly Screen[]) {
    this.#control = control;
    this.#screens = screens;
    this.#feed = new Feed(Date.now());
  }

  get model(): Model {
    return this.#model;
  }

  /**
   * Follows the stream until `signal` is aborted. Rejects where the daemon can never be understood. `happened`: events have
   * arrived, as often as the daemon sends them.
   */
  async follow(
    signal: AbortSignal,
    changed: () => void,
    happened: () => void = () => undefined,
  ): Promise<void> {
    const known = this.#model.status !== undefined;
    for await (const line of watch(this.#control, { signal, known, most: MOST })) {
      this.#feed.add(line, Date.now());
      if (line.line === "snapshot") {
        // Without them there is less to see, nothing else.
        if (!this.#feed.hasEvents) await this.#past(line.sequence, signal).catch(() => undefined);
        this.#model = {
          ...this.#model,
          status: line.status,
          runs: withNewest(this.#model.runs, line.runs),
        };
        this.#generationsOf = -1;
      }
      if (line.line === "event" || line.line === "left_out") happened();
      else changed();
    }
  }

  /** What has happened until now, without following it any further. */
  async past(signal: AbortSignal): Promise<void> {
    for await (const line of this.#control.events({}, signal)) {
      this.#feed.add(line, Date.now());
      return this.#past(line.sequence, signal);
    }
  }

  /** Past events, as far as the daemon keeps them. */
  async #past(newest: number, signal: AbortSignal): Promise<void> {
    if (newest === 0) return;
    for await (const line of this.#control.events({ since: Math.max(0, newest - BACK) }, signal)) {
      if (line.line === "event") this.#feed.add(line, Date.now());
      if (line.sequence >= newest) return;
    }
  }

  /** Asks everything once. Where the daemon does not answer, what is known stays. */
  async ask(attention: Focus): Promise<void> {
    const answers = await Promise.allSettled([
      this.#askStatus(),
      this.#askRuns(),
      this.#control.panels().then(({ plugins }) => ({ panels: plugins })),
      this.#askConfiguration(attention),
      this.#askClosely(attention),
      this.#askScreens(attention),
      this.#askLogs(attention),
    ]);
    let model = this.#model;
    for (const answer of answers) {
      if (answer.status === "fulfilled") model = { ...model, ...answer.value };
    }
    this.#model = { ...model, ...this.#feed.view(Date.now()) };
    await this.#askRecentRuns();
  }

  /** The overview shows the last hour: one more page at a time, until it is complete or enough. */
  async #askRecentRuns(): Promise<void> {
    const { runs, now } = this.#model;
    const oldest = runs.at(-1)?.queuedAt;
    if (oldest === undefined || oldest < now - ACTIVITY_SPAN || runs.length >= ENOUGH_RUNS) return;
    // Without older runs there is less to see, nothing else.
    await this.askOlder().catch(() => undefined);
  }

  /** What the stream said since, without asking. */
  refresh(): void {
    this.#model = { ...this.#model, ...this.#feed.view(Date.now()) };
  }

  /** Only what is looked at closely. */
  async askClosely(attention: Focus): Promise<void> {
    const answers = await Promise.all([
      this.#askClosely(attention),
      this.#askConfiguration(attention),
      this.#askScreens(attention),
      this.#askLogs(attention),
    ]);
    this.#model = Object.assign({ ...this.#model }, ...answers) as Model;
  }

  /** The page of runs after the oldest one that is known. */
  async askOlder(): Promise<void> {
    const { runs, moreRuns } = this.#model;
    const before = runs.at(-1)?.id;
    if (this.#fetching || !moreRuns || before === undefined) return;
    this.#fetching = true;
    try {
      const page = await this.#control.runs({ before, limit: LARGE_PAGE });
      const all = [...this.#model.runs, ...page.runs];
      const moreLeft = page.next !== undefined && all.length < MOST_RUNS;
      this.#model = { ...this.#model, runs: all, moreRuns: moreLeft };
    } finally {
      this.#fetching = false;
    }
  }

  async #askStatus(): Promise<Partial<Model>> {
    const status = await this.#control.status();
    this.#feed.setStatus(status, Date.now());
    return { status };
  }

  async #askRuns(): Promise<Partial<Model>> {
    const page = await this.#control.runs({ limit: PAGE });
    const isFirst = this.#model.runs.length <= PAGE;
    const runs = withNewest(this.#model.runs, page.runs);
    return { runs, ...(isFirst && { moreRuns: page.next !== undefined }) };
  }

  /** Generations and the plan change only with configuration events. */
  async #askConfiguration({ pending: wanted }: Focus): Promise<Partial<Model>> {
    const configurationEvents = this.#feed.configurationEvents;
    const answer: { -readonly [Name in keyof Model]?: Model[Name] } = {};
    if (this.#generationsOf !== configurationEvents) {
      answer.generations = (await this.#control.generations({ limit: 200 })).generations;
      this.#generationsOf = configurationEvents;
    }
    if (
      wanted &&
      (this.#configurationEvents !== configurationEvents || this.#model.pending === undefined)
    ) {
      answer.pending = await pendingOf(this.#control);
      this.#configurationEvents = configurationEvents;
    }
    return answer;
  }

  async #askScreens({ screens }: Focus): Promise<Partial<Model>> {
    const open = this.#screens.filter(({ id, load }) => load && screens.includes(id));
    const loaded = await Promise.all(
      open.map(async (screen) => {
        const { id, plugin = id } = screen;
        return [
          id,
          await screen
            .load?.(this.#control.forPlugin(plugin), this.#model.data[id])
            .catch(() => this.#model.data[id]),
        ] as const;
      }),
    );
    return open.length === 0
      ? {}
      : { data: { ...this.#model.data, ...Object.fromEntries(loaded) } };
  }

  async #askLogs({ logs }: Focus): Promise<Partial<Model>> {
    if (!logs) return {};
    const { boot, sequence: since } = this.#logs;
    let answer = await this.#control.logs({ since });
    // Another daemon counts anew.
    if (boot !== undefined && answer.boot !== boot) answer = await this.#control.logs();
    this.#logs = withAnswer(this.#logs, answer);
    return { logs: this.#logs.lines };
  }

  async #askClosely({ run, generation }: Focus): Promise<Partial<Model>> {
    const { run: knownRun, generation: knownGeneration } = this.#model;
    const answer: { -readonly [Name in keyof Model]?: Model[Name] } = {};
    const isOver = knownRun?.id === run && knownRun?.finishedAt !== undefined;
    if (run !== undefined && !isOver) {
      answer.run = await this.#control.run(run).catch(() => undefined);
    }
    if (generation !== undefined && knownGeneration?.number !== generation) {
      answer.generation = await this.#control.generation(generation).catch(() => undefined);
    }
    return answer;
  }
}

/** What a reload would do. An invalid text is an answer, too. */
export async function pendingOf(control: Control): Promise<PendingChange> {
  try {
    return await control.plan();
  } catch (thrown) {
    if (thrown instanceof ControlError && isConfigurationProblem(thrown.problem)) {
      const { diagnostics, sources } = thrown.problem;
      return { diagnostics, sources };
    }
    return { diagnostics: [], sources: {}, error: errorMessage(thrown) };
  }
}

/** Ends early, without a word, when `signal` is aborted. */
export async function pause(milliseconds: number, signal: AbortSignal): Promise<void> {
  await delay(milliseconds, undefined, { signal }).catch(() => undefined);
}
