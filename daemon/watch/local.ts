/** Which files may be read at once, and how many of them without keeping everything else waiting. */
import { statfs } from "node:fs/promises";
import { TimeSlice } from "./time-slice.js";

/** File systems behind a network or a program, by the number of `statfs(2)`: they may answer late or never. */
const distant = new Set([
  0x6969, // NFS
  0x517b, // SMB
  0xfe534d42, // SMB 2
  0xff534d42, // CIFS
  0x65735546, // FUSE
  0x01021997, // 9p
  0x00c36400, // Ceph
  0x5346414f, // AFS
]);

interface LocatedFile {
  readonly directory: string;
}

/**
 * Does something for each file: at once where it is on this machine, with a breath now and then; otherwise waiting,
 * several at a time. `near` are directories of which it is known that they are on this machine.
 */
export async function forEachFile<File extends LocatedFile>(
  files: readonly File[],
  near: ReadonlySet<string>,
  at: {
    readonly once: (file: File, index: number) => void;
    readonly leisure: (file: File, index: number) => Promise<void>;
    /** Taken every millisecond. @default lets everything else that waits have its turn */
    readonly yieldTurn?: (() => Promise<unknown>) | undefined;
  },
): Promise<void> {
  const local = await localOnes(files, near);
  const far: number[] = [];
  const pace = new TimeSlice(at.yieldTurn);
  for (let index = 0; index < files.length; index += 1) {
    const file = files[index] as File;
    if (local.has(file.directory)) at.once(file, index);
    else far.push(index);
    if (pace.isOver) await pace.yieldToLoop();
  }
  await severalAtOnce(far, (index) => at.leisure(files[index] as File, index));
}

/** Directories that are on this machine. */
async function localOnes(
  files: readonly LocatedFile[],
  near: ReadonlySet<string>,
): Promise<ReadonlySet<string>> {
  const unknown = new Set<string>();
  for (const { directory } of files) if (!near.has(directory)) unknown.add(directory);
  if (unknown.size === 0) return near;
  const local = new Set(near);
  await severalAtOnce([...unknown], async (directory) => {
    if (await isLocal(directory)) local.add(directory);
  });
  return local;
}

/** What cannot be looked at counts as distant. */
async function isLocal(directory: string): Promise<boolean> {
  const found = await statfs(directory).catch(() => undefined);
  return found !== undefined && !distant.has(found.type >>> 0);
}

const HANDS = 16;

async function severalAtOnce<Item>(
  items: readonly Item[],
  each: (item: Item) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const hand = async (): Promise<void> => {
    for (const item of queue) await each(item);
  };
  await Promise.all(Array.from({ length: Math.min(HANDS, items.length) }, hand));
}
