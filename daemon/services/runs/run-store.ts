/** Records of what ran: on the disk before anything happens, closed when the daemon dies. */
import { errorMessage, ReeveError } from "../../errors.js";
import type { Clock, Log } from "../../plugin-api/context.js";
import type { RunFilter, RunRecord, RunState, Runs } from "../../plugin-api/state.js";
import { ActiveConditions } from "../conditions.js";
import type { ConditionFinding, DaemonServices, EventBus } from "../contract.js";
import type { DaemonServiceOptions } from "../daemon-service-options.js";
import { EventRing } from "../events.js";
import { CLOCK, inject, injectable, LOG, OPTIONS } from "../inject.js";
import { Mask } from "../mask.js";
import { Database } from "../store/database.js";
import { addDamage } from "../store/state-damage.js";
import { ActiveRuns, type RunSettings } from "./active-runs.js";
import { type InstanceRuns, ownedRuns } from "./instance-runs.js";
import { journalFilesIn } from "./journal/files.js";
import type { Loss } from "./journal/open-journal.js";
import { pageOf, RunTable } from "./run-table.js";
import { RunWriteBuffer } from "./run-write-buffer.js";

type Limits = Parameters<DaemonServices["setRunLimits"]>[0];

/** Until the configuration says otherwise. */
const defaultLimits: Limits = {
  keep: 10_000,
  age: 30 * 86_400_000,
  output: 64 * 1024,
  total: 256 * 1024 * 1024,
};

/** Milliseconds after which output of a run that goes on is on the disk. */
const saveInterval = 1000;
/** Runs between two looks at what is to be forgotten, at most. */
const pruneInterval = 64;
/** How often the sum is looked at while as much comes as may be kept: so far over it may get. */
const LOOKS = 16;

@injectable()
export class RunStore {
  readonly #settings: RunSettings;
  readonly #table: RunTable;
  readonly #pending: RunWriteBuffer;
  readonly #live: ActiveRuns;
  readonly #saving: NodeJS.Timeout;
  #limits = defaultLimits;
  #sincePruned = 0;
  /** Characters that came since the sum was last looked at. */
  #grown = 0;
  /** What was last complained about; nothing once a record could be written again. */
  #lastError: string | undefined;
  /** Told which runs have changed; for others to see. */
  changed: (ids: readonly string[]) => void = () => undefined;

  constructor(
    @inject(OPTIONS)
    { directories: { state: directory }, journalFiles = journalFilesIn }: DaemonServiceOptions,
    @inject(Database) database: Database,
    @inject(CLOCK) clock: Clock,
    @inject(LOG) log: Log,
    @inject(EventRing) events: EventBus,
    @inject(Mask) mask: Mask,
    @inject(ActiveConditions) conditions: ActiveConditions,
  ) {
    const settings = { database, directory, clock, log, events, mask };
    this.#settings = settings;
    this.#table = new RunTable(database);
    this.#pending = new RunWriteBuffer({
      ...{ database, files: journalFiles(directory), log, table: this.#table },
      refused: (thrown) => conditions.report("journal", refusalOf(directory, thrown)),
      grown: (characters) => this.#grow(characters),
      complain: (thrown) => this.#complain(thrown),
      changed: (ids) => this.changed(ids),
      lost: (losses) => this.#noteLosses(losses),
    });
    this.#live = new ActiveRuns({
      ...settings,
      ...{ table: this.#table, pending: this.#pending },
      outputLimit: () => this.#limits.output,
      write: (work) => this.#write(work),
      complain: (thrown) => this.#complain(thrown),
      written: () => {
        this.#lastError = undefined;
      },
    });
    this.#saving = setInterval(() => this.#live.save(), saveInterval).unref();
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
    this.#tryFlush();
    this.#write(() => this.#prune()).catch((thrown) => this.#complain(thrown));
  }

  /** How many are kept, and since when, in milliseconds since the epoch. */
  get kept(): { readonly keep: number; readonly oldest: number } {
    const { keep, age } = this.#limits;
    return { keep, oldest: this.#settings.clock.now() - age };
  }

  /** Brings everything into the tables that can be. */
  flush(): void {
    this.#try(() => this.#pending.flushAll());
  }

  /** @see RunWriteBuffer.keepingJournal */
  keepingJournal<Result>(work: () => Promise<Result>): Promise<Result> {
    return this.#pending.keepingJournal(work);
  }

  /** As they are in the tables, without their requests. */
  records(ids: readonly string[]): readonly RunRecord[] {
    return this.#table.records(ids).map((record) => this.#live.shown(record));
  }

  async get(id: string): Promise<RunRecord | undefined> {
    return this.#get(id, undefined);
  }

  async list(filter: RunFilter = {}): Promise<readonly RunRecord[]> {
    return this.#list(filter, undefined);
  }

  async counts(): Promise<Readonly<Record<RunState, number>>> {
    this.#tryFlush();
    const counts = { ...this.#table.counts() };
    for (const state of this.#pending.states()) counts[state] += 1;
    return counts;
  }

  scoped(plugin: string, generation: () => number): Runs {
    return this.owned(plugin, generation).runs;
  }

  owned(plugin: string, generation: () => number): InstanceRuns {
    return ownedRuns(
      {
        start: (run) => this.#live.start(plugin, generation(), run),
        resume: (id, resume) => this.#live.resume(plugin, generation(), id, resume),
        left: () => this.#live.left(plugin),
        get: (id) => this.#get(id, plugin),
        list: (filter) => this.#list(filter, plugin),
        abandon: (id) => this.#live.abandon(id),
      },
      plugin,
    );
  }

  async close(): Promise<void> {
    clearInterval(this.#saving);
    this.#live.save();
    await this.#pending.close();
  }

  #noteLosses(losses: readonly Loss[]): void {
    const { directory, clock, log } = this.#settings;
    for (const { what, missing, runs } of losses) {
      addDamage(directory, { at: clock.now(), what, missing, ...(runs.length > 0 && { runs }) });
      log.error(what, { missing, runs });
    }
  }

  /** The journal has what must survive a power cut. */
  #write<Result>(work: () => Result): Promise<Result> {
    return this.#settings.database.write(work, "daemon");
  }

  /** Something has ended, within a transaction. */
  #grow(characters: number): void {
    this.#grown += characters;
    if (++this.#sincePruned >= Math.min(pruneInterval, this.#limits.keep / 10)) this.#prune();
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
    this.#try(() => this.#pending.flush(id));
    const record = this.#table.get(id, plugin);
    return record && this.#live.shown(record);
  }

  #list(filter: RunFilter, plugin: string | undefined): readonly RunRecord[] {
    this.#tryFlush();
    const pending = this.#pending.records(filter, plugin);
    const all = [...pending, ...this.#table.list(filter, plugin)];
    if (pending.length > 0) all.sort((a, b) => (a.id < b.id ? 1 : -1));
    return all.slice(0, pageOf(filter)).map((record) => this.#live.shown(record));
  }

  /** What is in the tables is as it should be then, and what has ended is in them; those that go on and are in no table can wait. */
  #tryFlush(): void {
    this.#try(() => this.#pending.flushAll(({ row, end }) => !row || end !== undefined));
  }

  /** What cannot be written can be read as it was. */
  #try(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#complain(thrown);
    }
  }

  /** Once a trouble, not once a second. */
  #complain(thrown: unknown): void {
    const why = errorMessage(thrown);
    if (why === this.#lastError) return;
    this.#lastError = why;
    this.#settings.log.warn(`Records of runs could not be written: ${why}`);
  }
}

function refusalOf(directory: string, thrown: unknown): readonly ConditionFinding[] {
  if (thrown === undefined) return [];
  const { code = errorMessage(thrown) } = thrown as NodeJS.ErrnoException;
  const disk = `The disk of the state directory ${directory} does not keep what is written to the journal (${code}): requests that must survive a power cut get 503.`;
  const reason = thrown instanceof ReeveError ? thrown.message : disk;
  return [{ code: "journal_refused", reason, isUnready: true }];
}
