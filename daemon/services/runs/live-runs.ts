/** Runs that somebody holds: started or resumed, and not yet ended on the disk. */
import type { LeftRun, NewRun, Run, RunRecord } from "../../plugin-api/state.js";
import { idMaker } from "../ids.js";
import { encode, masked } from "../store/json.js";
import { RunOutput } from "./run-output.js";
import type { RunTable } from "./run-table.js";
import type { RunSettings } from "./runs.js";

type Outcome = Parameters<RunTable["finish"]>[1];

const largestDetail = 64 * 1024;
const largestRequest = 256 * 1024;
const largestResume = 16 * 1024 * 1024;

export interface LiveSettings extends RunSettings {
  readonly table: RunTable;
  /** Bytes of output that are kept of a new run. */
  outputLimit(): number;
  write<Result>(work: () => Result): Promise<Result>;
  /** Told within the transaction that ends a run, with the characters that it leaves. */
  grown(characters: number): void;
  written(): void;
  complain(thrown: unknown): void;
}

interface Active {
  readonly plugin: string;
  readonly kind: string;
  readonly subject: string;
  readonly output: RunOutput;
  /** Characters of its request. */
  readonly asked: number;
  /** Whether what it takes to carry it out another time is on the disk. */
  resumable: boolean;
  state: "queued" | "running";
  /** How it ended, as long as that is not on the disk. */
  ending?: Ending;
}

interface Ending {
  readonly result: Outcome;
  readonly at: number;
  /** Whether the disk has refused it, so that it is to be written again. */
  refused: boolean;
}

export class LiveRuns {
  readonly #with: LiveSettings;
  readonly #nextId: () => string;
  readonly #active = new Map<string, Active>();

  constructor(settings: LiveSettings) {
    this.#with = settings;
    this.#nextId = idMaker(() => settings.clock.now(), settings.table.last());
  }

  /** With what it has said since it was last saved. */
  shown(record: RunRecord): RunRecord {
    const active = this.#active.get(record.id);
    return active ? { ...record, output: active.output.kept() } : record;
  }

  async start(plugin: string, generation: number, run: NewRun): Promise<Run> {
    const { clock, events, mask } = this.#with;
    const { kind, subject, state = "running" } = run;
    const id = this.#nextId();
    const row = {
      ...{ id, plugin, kind, subject, state, generation },
      at: clock.now(),
      trigger: run.trigger === undefined ? undefined : mask.text(run.trigger),
      detail: run.detail === undefined ? undefined : this.#detail(run.detail),
      request: run.request === undefined ? undefined : this.#request(run.request),
      resume: run.resume === undefined ? undefined : this.#resumeText(run.resume),
    };
    await this.#with.write(() => this.#with.table.insert(row));
    const output = new RunOutput(this.#with.outputLimit(), mask);
    const asked = row.request?.length ?? 0;
    const resumable = row.resume !== undefined;
    this.#active.set(id, { plugin, kind, subject, output, asked, resumable, state });
    events.scoped(plugin).emit("run.started", { id, kind, subject, state });
    return this.#handle(id);
  }

  left(plugin: string): readonly LeftRun[] {
    return this.#with.table.resumable(plugin).flatMap(({ id, resume }) => {
      const record = this.#active.has(id) ? undefined : this.#with.table.get(id, plugin);
      return record ? [{ record, resume }] : [];
    });
  }

  async resume(plugin: string, generation: number, id: string): Promise<Run | undefined> {
    const record = this.#active.has(id) ? undefined : this.#with.table.get(id, plugin);
    if (!record) return undefined;
    const { kind, subject } = record;
    const output = new RunOutput(this.#with.outputLimit(), this.#with.mask);
    output.push("stdout", record.output.text);
    const active = { plugin, kind, subject, output, asked: 0, resumable: true } as const;
    this.#active.set(id, { ...active, state: "queued" });
    try {
      if (await this.#with.write(() => this.#with.table.reopen(id, plugin, generation))) {
        this.#with.events.scoped(plugin).emit("run.resumed", { id, kind, subject });
        return this.#handle(id);
      }
      this.#active.delete(id);
      return undefined;
    } catch (thrown) {
      this.#active.delete(id);
      throw thrown;
    }
  }

  #handle(id: string): Run {
    return {
      id,
      running: ({ keep = false } = {}) => this.#running(id, keep),
      queued: (resume) => this.#queued(id, this.#resumeText(resume)),
      leave: async () => this.#leave(id),
      output: (stream, data) => this.#active.get(id)?.output.push(stream, data),
      detail: async (value) => {
        const detail = this.#detail(value);
        await this.#with.write(() => this.#with.table.detail(id, detail));
      },
      finish: (result) => this.#finish(id, result),
    };
  }

  async #running(id: string, keep: boolean): Promise<void> {
    const active = this.#active.get(id);
    if (!active) return;
    const { plugin, kind, subject, resumable } = active;
    const at = this.#with.clock.now();
    const moved = await this.#with.write(() => {
      if (resumable && !keep) this.#with.table.forget(id);
      return this.#with.table.running(id, at);
    });
    active.resumable = resumable && keep;
    active.state = "running";
    if (moved) this.#with.events.scoped(plugin).emit("run.running", { id, kind, subject });
  }

  async #queued(id: string, resume: string | undefined): Promise<void> {
    const active = this.#active.get(id);
    if (!active || active.ending) return;
    const { plugin, kind, subject } = active;
    await this.#with.write(() => {
      if (resume === undefined) this.#with.table.forget(id);
      else this.#with.table.keep(id, plugin, resume);
      this.#with.table.queued(id);
    });
    active.resumable = resume !== undefined;
    active.state = "queued";
    this.#with.events.scoped(plugin).emit("run.queued", { id, kind, subject });
  }

  #leave(id: string): void {
    const active = this.#active.get(id);
    if (active?.resumable && active.state === "queued" && !active.ending) this.#active.delete(id);
  }

  /** What waits, and can be carried out another time, goes on waiting. */
  async abandon(id: string): Promise<void> {
    this.#leave(id);
    const reason = "The plugin stopped while it was running.";
    await this.#finish(id, { state: "interrupted", reason });
  }

  /** The first ending counts. One that the disk refuses is written as soon as it accepts it. */
  async #finish(id: string, result: Outcome): Promise<void> {
    const active = this.#active.get(id);
    if (!active || active.ending) return;
    const { mask, clock } = this.#with;
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
      await this.#with.write(() => {
        this.#with.table.finish(id, result, at, kept);
        if (active.resumable && result.state !== "interrupted") this.#with.table.forget(id);
        this.#with.grown(active.asked + kept.text.length);
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
        this.#close(id, active, ending).catch((thrown) => this.#with.complain(thrown));
      } else if (!ending && output.dirty) {
        const kept = output.kept();
        this.#with
          .write(() => this.#with.table.output(id, kept))
          .catch((thrown) => this.#with.complain(thrown));
      }
    }
  }

  #detail(detail: unknown): string {
    const shown = (text: string): string => this.#with.mask.text(text);
    return encode(detail, "The detail of a run", largestDetail, shown);
  }

  /** Nothing where a secret stands in it: that must not lie on the disk, and without it the run would be another. */
  #resumeText(resume: unknown): string | undefined {
    const text = encode(resume, "What it takes to resume a run", largestResume);
    return this.#with.mask.text(text) === text ? text : undefined;
  }

  #request(request: unknown): string {
    const { mask } = this.#with;
    const shown = masked(request, (text) => mask.text(text));
    return encode(shown, "The request of a run", largestRequest);
  }
}
