/** How far the journal was on the disk, in a file of its own: without it, the loss of the journal's end would look like an end. */
import type { JournalFile, JournalFiles } from "./files.js";
import { isSealed, seal } from "./record.js";

export interface MarkValue {
  readonly epoch: number;
  /** The newest record that is on the disk. */
  readonly sequence: number;
  /** Commits of the database that are on the disk. */
  readonly commits: number;
}

export const markName = "journal.mark";
const MARK = 0x4b4d4a52;
/** Two, written in turn: one of them is whole at any moment. */
const slots = [0, 512] as const;
const used = 64;

interface Slot extends MarkValue {
  readonly count: number;
}

/** The newest whole slot. */
export const readMark = (files: JournalFiles): MarkValue | undefined => newestSlot(files);

function newestSlot(files: JournalFiles): Slot | undefined {
  const bytes = files.read(markName);
  const found = slots.flatMap((at) => slotAt(bytes, at) ?? []);
  return found.reduce<Slot | undefined>(
    (best, slot) => (best && best.count > slot.count ? best : slot),
    undefined,
  );
}

function slotAt(bytes: Buffer, at: number): Slot | undefined {
  if (at + used > bytes.length || bytes.readUInt32LE(at) !== MARK || !isSealed(bytes, at)) {
    return undefined;
  }
  return {
    epoch: bytes.readUIntLE(at + 8, 6),
    sequence: bytes.readUIntLE(at + 16, 6),
    commits: bytes.readUIntLE(at + 24, 6),
    count: bytes.readUIntLE(at + 32, 6),
  };
}

export class Mark {
  readonly #file: JournalFile;
  #value: MarkValue;
  #count: number;

  /** @throws an error of the operating system when it cannot be written */
  constructor(files: JournalFiles, value: MarkValue) {
    this.#count = newestSlot(files)?.count ?? 0;
    this.#file = files.open(markName);
    this.#value = value;
  }

  get value(): MarkValue {
    return this.#value;
  }

  /** @throws an error of the operating system */
  set(change: Partial<MarkValue>): void {
    this.#value = { ...this.#value, ...change };
    this.#count += 1;
    const bytes = Buffer.alloc(used);
    bytes.writeUInt32LE(MARK, 0);
    bytes.writeUIntLE(this.#value.epoch, 8, 6);
    bytes.writeUIntLE(this.#value.sequence, 16, 6);
    bytes.writeUIntLE(this.#value.commits, 24, 6);
    bytes.writeUIntLE(this.#count, 32, 6);
    seal(bytes);
    this.#file.write(bytes, slots[this.#count % 2] ?? 0);
  }

  sync(): Promise<void> {
    return this.#file.sync();
  }

  close(): void {
    this.#file.close();
  }
}
