/** Plays a sequence with real daemons. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Ending } from "../support/child.js";
import { eventually, remains, within } from "../support/eventually.js";
import { folder } from "../support/folder.js";
import { COMMAND, configurationOf } from "./configuration.js";
import {
  type Evidence,
  isEnded,
  type ListedRun,
  type Note,
  notesIn,
  type StopEvidence,
  type Violation,
} from "./evidence.js";
import { canHaveSmallDisk, Machine } from "./machine.js";
import { Sender } from "./sender.js";
import type { Burst, Sequence, SequenceStep, StopStep } from "./steps.js";

/** Milliseconds in which commands begin, and a schedule goes on after its clock was moved. */
const GOES_ON = 10_000;
/** Milliseconds until all runs have ended. */
const ENDED = 30_000;

export async function play(t: Ending, sequence: Sequence): Promise<Evidence> {
  const player = new Player(t, sequence);
  try {
    await player.start();
    for (const step of sequence.steps) await player.take(step);
    return await player.finish();
  } catch (thrown) {
    throw new Error(`${String(thrown)}\n${player.log}`, { cause: thrown });
  }
}

class Player {
  readonly #sequence: Sequence;
  readonly #machine: Machine;
  readonly #directory: string;
  readonly #sender: Sender;
  readonly #stops: StopEvidence[] = [];
  readonly #faults: Violation[] = [];
  /** Stops before the start of the daemon that serves. */
  #served = 0;
  #edits = 0;
  /** Gates before this one are open. */
  #gate = 1;
  #clock = 0;
  #isFull = false;
  #wasFull = false;

  constructor(t: Ending, sequence: Sequence) {
    this.#sequence = sequence;
    this.#directory = folder(t, { "work.sh": COMMAND, "open-0": "", journal: "" });
    mkdirSync(join(this.#directory, "state"));
    const hasSmallDisk = sequence.usesSmallDisk && canHaveSmallDisk(join(this.#directory, "state"));
    this.#machine = new Machine(t, this.#directory, { hasSmallDisk });
    this.#sender = new Sender(this.#machine);
    if (!hasSmallDisk) this.#fill = async () => undefined;
    this.#configure();
    this.#holdFollowers();
  }

  get log(): string {
    return this.#machine.log;
  }

  async start(): Promise<void> {
    await this.#machine.launch();
    await this.#serve();
  }

  async take(step: SequenceStep): Promise<void> {
    switch (step.do) {
      case "send":
        return this.#send(step);
      case "release":
        return this.#release();
      case "edit":
        return this.#edit();
      case "hup":
        return this.#machine.signal("HUP");
      case "fill":
        return this.#fill();
      case "free":
        return this.#free();
      case "clock":
        return this.#moveClock(step.to);
      case "begins":
        return this.#begins(step.count);
      case "moment":
        return remains("a moment", () => true, step.milliseconds);
      default:
        return this.#stop(step);
    }
  }

  /** With room, the true time and open gates, until every run has ended. */
  async finish(): Promise<Evidence> {
    await this.#free();
    if (this.#clock !== 0) {
      this.#setClock(0);
      await this.#machine.clockIsMoved();
    }
    const since = Date.now();
    this.#release();
    this.#holdFollowers(0);
    let before = "";
    let seen = 0;
    let late: ReadonlySet<string> = new Set();
    const records = await eventually(
      "all runs to end",
      async () => {
        seen = this.#notes().length;
        const listed = await this.#records();
        // Ticks go on.
        const isLate = (run: ListedRun): boolean =>
          !isEnded(run) && run.kind === "schedule" && run.queuedAt >= since;
        late = new Set(listed.filter(isLate).map(({ id }) => id));
        const all = listed.filter((run) => !isLate(run));
        const open = all.filter((run) => !isEnded(run));
        const now = all
          .filter(({ kind }) => kind !== "schedule")
          .map(({ id, state }) => `${id} ${state}`)
          .join();
        // A run that was interrupted is queued again a moment after the start.
        const isStable = now === before;
        before = now;
        return open.length === 0 && isStable && all;
      },
      { within: ENDED, every: 100 },
    ).catch(() => this.#records());
    const known = new Set(records.map(({ id }) => id));
    const notes = this.#notes().filter(
      ({ run, number, at }) =>
        known.has(run) || !number.startsWith("tick:") || (at < seen && !late.has(run)),
    );
    return {
      ...{ sent: this.#sender.sent, stops: this.#stops, notes, faults: this.#faults },
      ...{ wasFull: this.#wasFull, records: new Map(records.map((run) => [run.id, run])) },
    };
  }

  #send(burst: Burst): Promise<void> {
    const now = { stop: this.#stops.length, clock: this.#clock, gate: this.#gate };
    return this.#sender.send(burst, now);
  }

  #release(): void {
    writeFileSync(join(this.#directory, `open-${this.#gate}`), "");
    this.#gate += 1;
    this.#holdFollowers();
  }

  #holdFollowers(gate = this.#sequence.holdsFollowers ? this.#gate : 0): void {
    // In one step: a command that read an empty file would wait for a gate without a number.
    const path = join(this.#directory, "gate-now");
    writeFileSync(`${path}.new`, `${gate}\n`);
    renameSync(`${path}.new`, path);
  }

  #configure(): void {
    const text = configurationOf(this.#directory, this.#edits, this.#sequence.hasSchedule);
    writeFileSync(join(this.#directory, "main.reeve"), text);
  }

  async #edit(): Promise<void> {
    this.#edits += 1;
    this.#configure();
    await within("the reload", this.#machine.control("/v1/reload", "POST"), 20_000);
  }

  #fill = async (): Promise<void> => {
    this.#isFull = true;
    this.#wasFull = true;
    await this.#machine.fill();
  };

  async #free(): Promise<void> {
    if (!this.#isFull) return;
    this.#isFull = false;
    await this.#machine.free();
  }

  #setClock(to: number): void {
    this.#clock = to;
    this.#machine.moveClock(to);
  }

  /** A clock that is set back repeats no time, so the schedule rests until the times after those that have run. */
  async #moveClock(to: number): Promise<void> {
    const isForward = to > this.#clock;
    this.#setClock(to);
    await this.#machine.clockIsMoved();
    if (!isForward) return;
    const ticks = async () =>
      (await this.#records()).filter(({ kind }) => kind === "schedule").map(slotOf);
    const latest = Math.max(0, ...(await ticks()));
    const now = Date.now() + to;
    if (latest > now + 1000) return;
    await eventually("a tick", async () => Math.max(0, ...(await ticks())) > now, {
      within: GOES_ON,
      every: 50,
    }).catch(() =>
      this.#fault("the schedule does not go on", `after the clock was moved by ${to} ms`),
    );
  }

  async #stop({ how, release, during, after, again }: StopStep): Promise<void> {
    const sending = during ? this.#send(during) : Promise.resolve();
    await remains("a moment", () => true, after);
    await this.#strike(how, release);
    await sending;
    await this.#machine.launch();
    if (again !== undefined) {
      await remains("a part of the start", () => true, again);
      await this.#strike("KILL", false);
      await this.#machine.launch();
    }
    await this.#serve();
  }

  async #strike(how: "TERM" | "KILL", release: boolean): Promise<void> {
    const all = await within("the list of runs", this.#records(), 20_000).catch(() => []);
    const ended = new Map(all.filter(isEnded).map((run) => [run.id, run]));
    const before = this.#notes().length;
    if (!this.#machine.isAlive && !this.#isFull)
      this.#fault("the daemon ended by itself", this.log);
    const isDeath = how === "KILL";
    const stop: StopEvidence = { how, isDeath, before, exit: before, after: before, ended };
    this.#stops.push(stop);
    const lateBefore = this.#machine.lateParts;
    this.#machine.signal(how);
    if (release) this.#release();
    const code = await this.#machine.ended();
    stop.exit = this.#notes().length;
    stop.isDeath ||= this.#machine.lateParts > lateBefore;
    if (how === "TERM" && code !== 0 && !stop.isDeath && !this.#isFull)
      this.#fault("an orderly stop that fails", `exit code ${code}\n${this.log}`);
  }

  /** Waits until the daemon serves. Where it cannot start, because its disk is full, it gets room. */
  async #serve(): Promise<void> {
    if (!(await this.#machine.ready())) {
      if (!this.#isFull) throw new Error("the daemon does not start");
      await this.#free();
      await this.#machine.launch();
      if (!(await this.#machine.ready())) throw new Error("the daemon does not start");
    }
    const after = this.#notes().length;
    for (const stop of this.#stops.slice(this.#served)) stop.after = after;
    this.#served = this.#stops.length;
  }

  async #begins(count: number): Promise<void> {
    const begins = () => this.#notes().filter(({ what }) => what === "begin").length;
    await eventually(`${count} begins`, () => begins() >= count, { within: GOES_ON }).catch(() =>
      this.#fault("a begin that does not come", `${begins()} of ${count}`),
    );
  }

  async #records(): Promise<readonly ListedRun[]> {
    const { body } = await this.#machine.control("/v1/runs?limit=1000");
    return (JSON.parse(body) as { readonly runs: readonly ListedRun[] }).runs;
  }

  #notes(): readonly Note[] {
    return notesIn(readFileSync(join(this.#directory, "journal"), "utf8"));
  }

  #fault(kind: string, text: string): void {
    this.#faults.push({ kind, text });
  }
}

const slotOf = ({ detail }: ListedRun): number => {
  const { slot, until } = (detail ?? {}) as { readonly slot?: string; readonly until?: string };
  return Date.parse(slot ?? until ?? "") || 0;
};
