/** Files in memory that record what a disk may have kept at any moment: sectors written since the last sync may be there or not, and so may names. */
import type { JournalFile, JournalFiles } from "../files.js";

const sector = 512;

interface Inode {
  length: number;
  /** By index, every content that a cut may leave: first the one that is certain, last the newest. */
  readonly sectors: Map<number, Buffer[]>;
}

/** From 0 to 1. */
export type Random = () => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

const empty = (): Buffer => Buffer.alloc(sector);

export class RecordedFiles implements JournalFiles {
  /** Names as the running program sees them, and as a cut leaves them at least. */
  readonly #names = new Map<string, Inode>();
  #certain = new Map<string, Inode>();
  readonly #random: Random;
  /** Thrown by the next sync. */
  refuses: Error | undefined;
  /** Uses of closed files: their numbers may be those of other files and connections by then. */
  readonly misuses: string[] = [];

  constructor(random: Random) {
    this.#random = random;
  }

  list = (): readonly string[] => [...this.#names.keys()];

  read(name: string): Buffer {
    const inode = this.#names.get(name);
    return inode ? contentOf(inode, (versions) => versions.at(-1)) : Buffer.alloc(0);
  }

  open(name: string): JournalFile {
    const inode = this.#names.get(name) ?? { length: 0, sectors: new Map<number, Buffer[]>() };
    this.#names.set(name, inode);
    let isOpen = true;
    const demandOpen = (use: string): void => {
      if (!isOpen) this.misuses.push(`${use} of ${name} after its close`);
    };
    const write = (bytes: Uint8Array, at: number): void => {
      demandOpen("write");
      for (let from = 0; from < bytes.length; ) {
        const index = Math.floor((at + from) / sector);
        const inside = (at + from) % sector;
        const versions = inode.sectors.get(index) ?? [empty()];
        inode.sectors.set(index, versions);
        const next = Buffer.from(versions.at(-1) ?? empty());
        const part = bytes.subarray(from, from + sector - inside);
        next.set(part, inside);
        versions.push(next);
        from += part.length;
      }
      inode.length = Math.max(inode.length, at + bytes.length);
    };
    return {
      write,
      fill: async (length) => {
        await this.#pause();
        write(Buffer.alloc(length), 0);
      },
      sync: async () => {
        const newest = [...inode.sectors].map(
          ([index, versions]) => [index, versions.at(-1)] as const,
        );
        demandOpen("sync");
        await this.#pause();
        demandOpen("end of a sync");
        if (this.refuses) throw this.refuses;
        for (const [index, version] of newest) {
          const versions = inode.sectors.get(index) ?? [];
          versions.splice(0, Math.max(0, versions.indexOf(version ?? empty())));
        }
      },
      close: () => {
        demandOpen("close");
        isOpen = false;
      },
    };
  }

  remove(name: string): void {
    this.#names.delete(name);
  }

  async syncNames(): Promise<void> {
    const names = new Map(this.#names);
    await this.#pause();
    this.#certain = names;
  }

  demandHere(): void {
    // It is.
  }

  /** What a cut at this moment leaves. */
  afterCut(random: Random): JournalFiles {
    const left = new Map<string, Buffer>();
    for (const name of new Set([...this.#certain.keys(), ...this.#names.keys()])) {
      const [certain, newest] = [this.#certain.get(name), this.#names.get(name)];
      const inode = random() < 0.5 ? certain : newest;
      if (!inode) continue;
      const any = (versions: readonly Buffer[]): Buffer | undefined =>
        versions[Math.floor(random() * versions.length)];
      left.set(name, contentOf(inode, any));
    }
    return filesOf(left);
  }

  /** Some turns of the event loop, during which others write. */
  async #pause(): Promise<void> {
    const turns = Math.floor(this.#random() * 4);
    for (let turn = 0; turn < turns; turn += 1) await new Promise((go) => setImmediate(go));
  }
}

function contentOf(
  { length, sectors }: Inode,
  choose: (versions: readonly Buffer[]) => Buffer | undefined,
): Buffer {
  const content = Buffer.alloc(length);
  for (const [index, versions] of sectors) {
    content.set((choose(versions) ?? empty()).subarray(0, length - index * sector), index * sector);
  }
  return content;
}

/** Files that can be read only. */
export function filesOf(contents: ReadonlyMap<string, Buffer>): JournalFiles {
  const refuse = (): never => {
    throw new Error("These files can only be read.");
  };
  return {
    list: () => [...contents.keys()],
    read: (name) => contents.get(name) ?? Buffer.alloc(0),
    ...{ demandHere: () => undefined, open: refuse, remove: refuse, syncNames: refuse },
  };
}
