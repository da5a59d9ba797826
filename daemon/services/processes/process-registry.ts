/**
 * Which commands run, in a file that outlives the daemon: what one that was killed has left running is ended by the next. A
 * number alone would not do, since the system gives it to others later: a process is ours if it began when ours did.
 */
import { closeSync, openSync, readdirSync, readFileSync, writeSync } from "node:fs";
import { uptime } from "node:os";
import { performance } from "node:perf_hooks";
import { killGroup, terminateGroup } from "./group.js";

/** Bytes a command: its number, when it began (seconds since the boot, between two moments), a variable that it has. */
const slotSize = 64;
const markerAt = 24;
/** Commands there is room for from the start, so that a full disk does not matter. */
const firstSlots = 1024;
/** Seconds: both clocks tick a hundred times a second. */
const tolerance = 0.05;
/** Clock ticks a second, as Linux tells them to programs on every architecture that Node runs on. */
const ticks = 100;
/** Milliseconds between TERM and KILL. */
const grace = 5000;

interface Entry {
  readonly pid: number;
  readonly from: number;
  readonly until: number;
  readonly marker: string;
}

export class ProcessRegistry {
  readonly #file: number;
  readonly #boot: string;
  readonly #free: number[] = [];
  /** By slot, the commands that run. */
  readonly #running = new Map<number, number>();
  readonly #orphans: readonly Entry[];
  /** Seconds since the boot, less the process's own clock. */
  #offset = uptime() - performance.now() / 1000;
  #slots = 0;

  /** Only one daemon may have it. @throws when the file cannot be used */
  constructor(path: string) {
    this.#file = openSync(path, "a+", 0o600);
    closeSync(this.#file);
    this.#file = openSync(path, "r+");
    this.#boot = bootId();
    this.#orphans = this.#read().filter(isOurs);
    const empty = Buffer.alloc(slotSize * (firstSlots + 1));
    empty.write(this.#boot, 0, "latin1");
    writeSync(this.#file, empty, 0, empty.length, 0);
  }

  /** How many commands of an earlier daemon were still running when this one began. */
  get orphans(): number {
    return this.#orphans.length;
  }

  /** Ends them. Resolves when nothing of them is left. */
  async endOrphans(): Promise<void> {
    await Promise.all(this.#orphans.map(({ pid }) => terminateGroup(pid, grace)));
  }

  /** Notes a command that was started since `from`, a time of `performance.now()`. `marker` is a variable that no other has: `REEVE_RUN=06fa…`. Gives what `end` wants. */
  begin(pid: number, from: number, marker: string): number {
    const slot = this.#free.pop() ?? ++this.#slots;
    const entry = Buffer.alloc(slotSize);
    entry.writeUInt32LE(pid, 0);
    entry.writeDoubleLE(this.#offset + from / 1000, 8);
    entry.writeDoubleLE(this.#offset + performance.now() / 1000, 16);
    entry.write(marker.slice(0, slotSize - markerAt), markerAt, "latin1");
    this.#write(entry, slot);
    this.#running.set(slot, pid);
    return slot;
  }

  /** Kills what runs, with all that belongs to it. */
  kill(): void {
    for (const pid of this.#running.values()) killGroup(pid);
  }

  end(slot: number): void {
    this.#running.delete(slot);
    this.#write(gone, slot);
    this.#free.push(slot);
    // The machine may have slept meanwhile.
    if (this.#free.length === this.#slots) this.#offset = uptime() - performance.now() / 1000;
  }

  close(): void {
    closeSync(this.#file);
  }

  #write(entry: Buffer, slot: number): void {
    try {
      writeSync(this.#file, entry, 0, slotSize, slot * slotSize);
    } catch {
      // A command is not held up because it cannot be noted.
    }
  }

  #read(): readonly Entry[] {
    const all = readFileSync(this.#file);
    if (this.#boot === "" || all.toString("latin1", 0, this.#boot.length) !== this.#boot) return [];
    const entries: Entry[] = [];
    for (let at = slotSize; at + slotSize <= all.length; at += slotSize) {
      const pid = all.readUInt32LE(at);
      const marker = all.toString("latin1", at + markerAt, at + slotSize).replace(/\0+$/, "");
      const [from, until] = [all.readDoubleLE(at + 8), all.readDoubleLE(at + 16)];
      if (pid > 1) entries.push({ pid, from, until, marker });
    }
    return entries;
  }
}

const gone = Buffer.alloc(slotSize);

function isOurs({ pid, from, until, marker }: Entry): boolean {
  const leader = statOf(pid);
  if (leader) {
    const { group, startedAt } = leader;
    return group === pid && startedAt >= from - tolerance && startedAt <= until + tolerance;
  }
  // Its leader has ended. A remaining process is ours only if it still has the variable.
  return marker !== "" && processes().some((each) => isMember(each, pid) && has(each, marker));
}

const isMember = (process: number, group: number): boolean => statOf(process)?.group === group;

function has(process: number, variable: string): boolean {
  return `\0${textOf(`/proc/${process}/environ`)}`.includes(`\0${variable}\0`);
}

function statOf(
  process: number,
): { readonly group: number; readonly startedAt: number } | undefined {
  const stat = textOf(`/proc/${process}/stat`);
  const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
  if (fields.length < 20) return undefined;
  return { group: Number(fields[2]), startedAt: Number(fields[19]) / ticks };
}

function processes(): readonly number[] {
  try {
    return readdirSync("/proc").map(Number).filter(Number.isInteger);
  } catch {
    return [];
  }
}

function textOf(path: string): string {
  try {
    return readFileSync(path, "latin1");
  } catch {
    return "";
  }
}

/** Empty where the system does not say: nothing is taken for ours then. */
const bootId = (): string => textOf("/proc/sys/kernel/random/boot_id").trim();
