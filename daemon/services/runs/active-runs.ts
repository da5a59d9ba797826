/** Active runs: started or resumed, and not yet finished on disk. */
import type { Clock, Log } from "../../plugin-api/context.js";
import type { LeftRun, NewRun, NotAccepted, Run, RunRecord } from "../../plugin-api/state.js";
import { startTimer, type Timer } from "../clock.js";
import type { EventBus } from "../contract.js";
import { idMaker } from "../ids.js";
import type { Mask } from "../mask.js";
import type { Database } from "../store/database.js";
import type { End } from "./run-change.js";
import { RunOutput } from "./run-output.js";
import type { RunTable } from "./run-table.js";
import { RunTexts } from "./run-texts.js";
import type { RunWriteBuffer } from "./run-write-buffer.js";

type Outcome = End["result"];

export interface RunSettings {
  readonly database: Database;
  /** Where what is not in the database yet is kept. */
  readonly directory: string;
  readonly clock: Clock;
  readonly log: Log;
  readonly events: EventBus;
  readonly mask: Mask;
}

export interface LiveSettings extends RunSettings {
  readonly table: RunTable;
  readonly pending: RunWriteBuffer;
  /** Bytes of output that are kept of a new run. */
  outputLimit(): number;
  write<Result>(work: () => Result): Promise<Result>;
  written(): void;
  complain(thrown: unknown): void;
}

interface Active {
  readonly plugin: string;
  readonly kind: string;
  readonly subject: string;
  readonly output: RunOutput;
  /** Characters of its request. */
  readonly requestLength: number;
  /** Whether what it takes to carry it out another time is on the disk. */
  resumable: boolean;
  /** Whether what was accepted or begun waits for the disk. */
  readonly onDisk: boolean;
  state: "queued" | "running";
  /** Since it runs. */
  timer?: Timer;
  /** How it ended, as long as that is not on the disk. */
  ending?: Ending;
}

interface Ending {
  readonly result: Outcome;
  readonly at: number;
  /** Whether the disk has refused it, so that it is to be written again. */
  refused: boolean;
}

export class ActiveRuns {
  readonly #with: LiveSettings;
  readonly #nextId: () => string;
  readonly #texts: RunTexts;
  readonly #active = new Map<string, Active>();

  constructor(settings: LiveSettings) {
    this.#with = settings;
    this.#texts = new RunTexts(settings.mask);
    this.#nextId = idMaker(() => settings.clock.now(), settings.table.last());
  }

  /** With what it has said since it was last saved. */
  shown(record: RunRecord): RunRecord {
    const active = this.#active.get(record.id);
    return active ? { ...record, output: active.output.kept() } : record;
  }

  async start(plugin: string, generation: number, run: NewRun): Promise<Run> {
    const { clock, events, mask } = this.#with;
    const { kind, subject, state = "running", durability = "memory" } = run;
    const id = this.#nextId();
    const trigger = run.trigger === undefined ? undefined : mask.text(run.trigger);
    const request = run.request === undefined ? undefined : this.#texts.request(run.request);
    const data = run.resume === undefined ? undefined : this.#texts.resume(run.resume);
    const timer = startTimer(clock);
    const { at } = timer;
    this.#with.pending.note({
      ...{ id, row: { plugin, kind, subject, trigger, generation, queuedAt: at } },
      moved: { state, at: state === "running" ? at : undefined },
      detail: run.detail === undefined ? undefined : this.#texts.detail(run.detail),
      request,
      resume: data === undefined ? undefined : { plugin, data },
    });
    const output = new RunOutput(this.#with.outputLimit(), mask);
    const requestLength = request?.length ?? 0;
    const resumable = data !== undefined;
    const onDisk = durability === "disk";
    const active = { plugin, kind, subject, output, requestLength, resumable, onDisk } as const;
    this.#active.set(id, { ...active, state, ...(state === "running" && { timer }) });
    if (onDisk) await this.#synced(id);
    events.scoped(plugin).emit("run.started", { id, kind, subject, state });
    return this.#handle(id);
  }

  /** What the disk refuses was not accepted. @throws when it does */
  async #synced(id: string): Promise<void> {
    try {
      await this.#with.pending.accepted();
    } catch (thrown) {
      const reason: NotAccepted = "Its request could not be written to the disk.";
      await this.#finish(id, { state: "cancelled", reason }).catch(() => undefined);
      throw thrown;
    }
  }

  left(plugin: string): readonly LeftRun[] {
    this.#with.pending.flushAll(({ id }) => !this.#active.has(id));
    return this.#with.table.resumable(plugin).flatMap(({ id, resume }) => {
      const record = this.#active.has(id) ? undefined : this.#with.table.get(id, plugin);
      return record ? [{ record, resume }] : [];
    });
  }

  /** `next`: its new data; where a secret stands in it, the present one stays. */
  async resume(
    plugin: string,
    generation: number,
    id: string,
    next?: unknown,
  ): Promise<Run | undefined> {
    if (this.#active.has(id)) return undefined;
    const { pending, table, events, mask } = this.#with;
    pending.flush(id);
    const record = table.isLeft(id, plugin) ? table.get(id, plugin) : undefined;
    if (!record) return undefined;
    const { kind, subject } = record;
    const data = next === undefined ? undefined : this.#texts.resume(next);
    pending.note({
      id,
      reopened: { plugin, generation },
      ...(data !== undefined && { resume: { plugin, data } }),
    });
    const output = new RunOutput(this.#with.outputLimit(), mask);
    output.push("stdout", record.output.text);
    const active = { plugin, kind, subject, output, requestLength: 0, resumable: true } as const;
    this.#active.set(id, { ...active, onDisk: true, state: "queued" });
    events.scoped(plugin).emit("run.resumed", { id, kind, subject });
    return this.#handle(id);
  }

  #handle(id: string): Run {
    return {
      id,
      running: ({ keep = false } = {}) => this.#running(id, keep),
      queued: (resume) => this.#queued(id, this.#texts.resume(resume)),
      leave: () => this.#leave(id),
      output: (stream, data) => this.#active.get(id)?.output.push(stream, data),
      detail: async (value) => {
        this.#with.pending.note({ id, detail: this.#texts.detail(value) });
      },
      finish: (result) => this.#finish(id, result),
    };
  }

  async #running(id: string, keep: boolean): Promise<void> {
    const active = this.#active.get(id);
    if (!active || active.ending) return;
    const { plugin, kind, subject, resumable, state } = active;
    const forgets = resumable && !keep;
    if (state === "queued") active.timer = startTimer(this.#with.clock);
    this.#with.pending.note({
      id,
      ...(state === "queued" && { moved: { state: "running", at: active.timer?.at } }),
      ...(forgets && { resume: "forgotten" }),
    });
    active.resumable = resumable && keep;
    active.state = "running";
    // Otherwise a power cut would make it look as if it had not begun, and it would run twice.
    if (active.onDisk) await this.#with.pending.synced();
    if (state === "queued") {
      this.#with.events.scoped(plugin).emit("run.running", { id, kind, subject });
    }
  }

  async #queued(id: string, resume: string | undefined): Promise<void> {
    const active = this.#active.get(id);
    if (!active || active.ending) return;
    const { plugin, kind, subject } = active;
    this.#with.pending.note({
      id,
      moved: { state: "queued", at: undefined },
      resume: resume === undefined ? "forgotten" : { plugin, data: resume },
    });
    active.resumable = resume !== undefined;
    active.state = "queued";
    this.#with.events.scoped(plugin).emit("run.queued", { id, kind, subject });
  }

  async #leave(id: string): Promise<void> {
    const active = this.#active.get(id);
    if (!active?.resumable || active.state !== "queued" || active.ending) return;
    const { output } = active;
    output.end();
    this.#active.delete(id);
    if (output.dirty) await this.#saveOutput(id, output);
  }

  /** What waits, and can be carried out another time, goes on waiting. */
  async abandon(id: string): Promise<void> {
    await this.#leave(id);
    const reason = "The plugin stopped while it was running.";
    await this.#finish(id, { state: "interrupted", reason });
  }

  /** The first ending counts. One that the disk refuses is written as soon as it accepts it. */
  async #finish(id: string, result: Outcome): Promise<void> {
    const active = this.#active.get(id);
    if (!active || active.ending) return;
    const { mask, clock } = this.#with;
    const { reason } = result;
    // The time it took is true even if the system's time is corrected meanwhile.
    const at = active.timer ? active.timer.at + active.timer.elapsed() : clock.now();
    active.ending = {
      result: reason === undefined ? result : { ...result, reason: mask.text(reason) },
      at,
      refused: false,
    };
    active.output.end();
    this.#close(id, active, active.ending);
  }

  /** @throws when the disk refuses */
  #close(id: string, active: Active, ending: Ending): void {
    const { plugin, kind, subject, output } = active;
    const { result, at } = ending;
    const kept = output.kept();
    ending.refused = false;
    try {
      this.#with.pending.note({
        ...{ id, end: { result, at, output: kept, size: active.requestLength + kept.text.length } },
        ...(active.resumable && result.state !== "interrupted" && { resume: "forgotten" }),
      });
    } catch (thrown) {
      ending.refused = true;
      throw thrown;
    }
    this.#with.written();
    this.#active.delete(id);
    const { state, exitCode, reason } = result;
    this.#with.events.scoped(plugin).emit("run.finished", {
      ...{ id, kind, subject, state },
      ...(exitCode === undefined ? {} : { exitCode }),
      ...(reason === undefined ? {} : { reason }),
    });
  }

  /** Output so far, so that an interrupted run does not lose it, and endings that could not be written. */
  save(): void {
    for (const [id, active] of this.#active) {
      const { ending, output } = active;
      if (ending?.refused) {
        this.#try(() => this.#close(id, active, ending));
      } else if (!ending && output.dirty) {
        void this.#saveOutput(id, output);
      }
    }
  }

  /** Never rejects. */
  async #saveOutput(id: string, output: RunOutput): Promise<void> {
    try {
      this.#with.pending.flush(id);
      const kept = output.kept();
      await this.#with.write(() => this.#with.table.output(id, kept));
    } catch (thrown) {
      this.#with.complain(thrown);
    }
  }

  #try(work: () => void): void {
    try {
      work();
    } catch (thrown) {
      this.#with.complain(thrown);
    }
  }
}
