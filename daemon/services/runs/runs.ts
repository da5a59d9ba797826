/** Records of what ran: on the disk before anything happens, closed when the daemon dies. */
import { sentence } from "../../errors.js";
import type { Clock, Log } from "../../plugin-api/context.js";
import type { NewRun, Run, RunFilter, RunRecord, RunState, Runs } from "../../plugin-api/state.js";
import type { EventBus, RunLog, ServiceKit } from "../contract.js";
import { pluginGone } from "../gone.js";
import { idMaker } from "../ids.js";
import type { Mask } from "../mask.js";
import type { Database } from "../store/database.js";
import { encode, masked } from "../store/json.js";
import { RunOutput } from "./run-output.js";
import { RunTable } from "./run-table.js";

type Outcome = Parameters<RunTable["finish"]>[1];
type Limits = Parameters<ServiceKit["setRunLimits"]>[0];

/** Until the configuration says otherwise. */
const defaultLimits: Limits = {
  keep: 10_000,
  age: 30 * 86_400_000,
  output: 64 * 1024,
  total: 256 * 1024 * 1024,
};

const largestDetail = 64 * 1024;
const largestRequest = 256 * 1024;
/** Milliseconds after which output of a run that goes on is on the disk. */
const saveInterval = 1000;
/** Runs between two looks at what is to be forgotten, at most. */
const pruneInterval = 64;
/** How often the sum is looked at while as much comes as may be kept: so far over it may get. */
const LOOKS = 16;

export interface RunSettings {
  readonly database: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventBus;
  readonly mask: Mask;
}

interface Active {
  readonly plugin: string;
  readonly kind: string;
  readonly subject: string;
  readonly output: RunOutput;
  /** Characters of its request. */
  readonly asked: number;
  /** How it ended, as long as that is not on the disk. */
  ending?: Ending;
}

interface Ending {
  readonly result: Outcome;
  readonly at: number;
  /** Whether the disk has refused it, so that it is to be written again. */
  refused: boolean;
}

export class RunHouse implements RunLog {
  readonly #settings: RunSettings;
  readonly #table: RunTable;
  readonly #nextId: () => string;
  readonly #active = new Map<string, Active>();
  readonly #saving: NodeJS.Timeout;
  #limits = defaultLimits;
  #sincePruned = 0;
  /** Characters that came since the sum was last looked at. */
  #grown = 0;
  /** What was last complained about; nothing once a record could be written again. */
  #trouble: string | undefined;

  constructor(settings: RunSettings) {
    this.#settings = settings;
    this.#table = new RunTable(settings.database);
    this.#nextId = idMaker(() => settings.clock.now(), this.#table.last());
    this.#saving = setInterval(() => this.#save(), saveInterval).unref();
  }

  /** Closes what a dead daemon left open. */
  async recover(): Promise<void> {
    const { clock, log } = this.#settings;
    const count = await this.#write(() => this.#table.interrupt(clock.now()));
    if (count > 0) log.warn(`${count} runs were interrupted when the daemon stopped.`, { count });
  }

  /** Takes effect on new runs (`output`) and at once on old ones (`keep`, `age`). */
  setLimits(limits: Limits): void {
    this.#limits = limits;
    this.#grown = limits.total;
    this.#write(() => this.#prune()).catch((thrown) => this.#complain(thrown));
  }

  async get(id: string): Promise<RunRecord | undefined> {
    return this.#get(id, undefined);
  }

  async list(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    return this.#list(filter, undefined);
  }

  async counts(): Promise<Readonly<Record<RunState, number>>> {
    return this.#table.counts();
  }

  scoped(plugin: string, generation: () => number): Runs {
    return this.owned(plugin, generation).runs;
  }

  /** As `scoped`; `abandon` closes the runs that were started here and have not ended. */
  owned(
    plugin: string,
    generation: () => number,
  ): { readonly runs: Runs; abandon(): Promise<void> } {
    const started = new Set<string>();
    let gone = false;
    return {
      runs: {
        start: async (run) => {
          if (gone) throw pluginGone(plugin);
          const handle = await this.#start(plugin, generation(), run);
          started.add(handle.id);
          return {
            ...handle,
            finish: async (result) => {
              await handle.finish(result);
              started.delete(handle.id);
            },
          };
        },
        get: async (id) => this.#get(id, plugin),
        list: async (filter = {}) => this.#list(filter, plugin),
      },
      abandon: async () => {
        gone = true;
        const result = {
          state: "interrupted",
          reason: "The plugin stopped while it was running.",
        } as const;
        await Promise.all([...started].map((id) => this.#finish(id, result)));
      },
    };
  }

  close(): void {
    clearInterval(this.#saving);
    this.#save();
  }

  async #start(plugin: string, generation: number, run: NewRun): Promise<Run> {
    const { clock, events, mask } = this.#settings;
    const { kind, subject, state = "running" } = run;
    const id = this.#nextId();
    const row = {
      ...{ id, plugin, kind, subject, state, generation },
      at: clock.now(),
      trigger: run.trigger === undefined ? undefined : mask.text(run.trigger),
      detail: run.detail === undefined ? undefined : this.#detail(run.detail),
      request: run.request === undefined ? undefined : this.#request(run.request),
    };
    await this.#write(() => this.#table.insert(row));
    const output = new RunOutput(this.#limits.output, mask);
    const asked = row.request?.length ?? 0;
    this.#active.set(id, { plugin, kind, subject, output, asked });
    events.scoped(plugin).emit("run.started", { id, kind, subject, state });
    return {
      id,
      running: async () => {
        const at = clock.now();
        const moved = await this.#write(() => this.#table.running(id, at));
        if (moved) events.scoped(plugin).emit("run.running", { id, kind, subject });
      },
      output: (stream, data) => output.push(stream, data),
      detail: async (value) => {
        const detail = this.#detail(value);
        await this.#write(() => this.#table.detail(id, detail));
      },
      finish: (result) => this.#finish(id, result),
    };
  }

  /** The first ending counts. One that the disk refuses is written as soon as it accepts it. */
  async #finish(id: string, result: Outcome): Promise<void> {
    const active = this.#active.get(id);
    if (!active || active.ending) return;
    const { mask, clock } = this.#settings;
    const { reason } = result;
    active.ending = {
      result: reason === undefined ? result : { ...result, reason: mask.text(reason) },
      at: clock.now(),
      refused: false,
    };
    active.output.end();
    await this.#close(id, active, active.ending);
  }

  async #close(id: string, active: Active, ending: Ending): Promise<void> {
    const { plugin, kind, subject, output } = active;
    const { result, at } = ending;
    const kept = output.kept();
    ending.refused = false;
    try {
      await this.#write(() => {
        this.#table.finish(id, result, at, kept);
        this.#grown += active.asked + kept.text.length;
        if (++this.#sincePruned >= Math.min(pruneInterval, this.#limits.keep / 10)) this.#prune();
      });
    } catch (thrown) {
      ending.refused = true;
      throw thrown;
    }
    this.#trouble = undefined;
    this.#active.delete(id);
    const { state, exitCode, reason } = result;
    this.#settings.events.scoped(plugin).emit("run.finished", {
      ...{ id, kind, subject, state },
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /** Output so far, so that an interrupted run does not lose it, and endings that could not be written. */
  #save(): void {
    for (const [id, active] of this.#active) {
      const { ending, output } = active;
      if (ending?.refused) {
        this.#close(id, active, ending).catch((thrown) => this.#complain(thrown));
      } else if (!ending && output.dirty) {
        const kept = output.kept();
        this.#write(() => this.#table.output(id, kept)).catch((thrown) => this.#complain(thrown));
      }
    }
  }

  /** Records tell what happened. Waiting for the disk would hold up the daemon for every run; jobs are what must survive power. */
  #write<Result>(work: () => Result): Promise<Result> {
    return this.#settings.database.write(work, "daemon");
  }

  #prune(): void {
    this.#sincePruned = 0;
    const { keep, age, total } = this.#limits;
    this.#table.prune(keep, this.#settings.clock.now() - age);
    if (this.#grown * LOOKS < total) return;
    this.#grown = 0;
    this.#table.shrink(total);
  }

  #get(id: string, plugin: string | undefined): RunRecord | undefined {
    const record = this.#table.get(id, plugin);
    return record && this.#live(record);
  }

  #list(filter: RunFilter, plugin: string | undefined): readonly RunRecord[] {
    return this.#table.list(filter, plugin).map((record) => this.#live(record));
  }

  /** With what it has said since it was last saved. */
  #live(record: RunRecord): RunRecord {
    const active = this.#active.get(record.id);
    return active ? { ...record, output: active.output.kept() } : record;
  }

  #detail(detail: unknown): string {
    const shown = (text: string): string => this.#settings.mask.text(text);
    return encode(detail, "The detail of a run", largestDetail, shown);
  }

  #request(request: unknown): string {
    const { mask } = this.#settings;
    const shown = masked(request, (text) => mask.text(text));
    return encode(shown, "The request of a run", largestRequest);
  }

  /** Once a trouble, not once a second. */
  #complain(thrown: unknown): void {
    const why = sentence(thrown);
    if (why === this.#trouble) return;
    this.#trouble = why;
    this.#settings.log.warn(`Records of runs could not be written: ${why}`);
  }
}
