/** Which files may be read at once, and how many of them without keeping everything else waiting. */
import { statfs } from "node:fs/promises";
import { setImmediate } from "node:timers/promises";

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

/** Files by the directory they are in, in any form. */
type ByDirectory<File> = ReadonlyMap<string, Iterable<File>>;

/**
 * Does something for each file: at once where it is on this machine, with a breath now and then; otherwise waiting,
 * several at a time.
 */
export async function forEachFile<File>(
  files: ByDirectory<File>,
  at: {
    readonly once: (file: File, directory: string) => void;
    readonly leisure: (file: File, directory: string) => Promise<void>;
    /** Taken every millisecond. @default lets everything else that waits have its turn */
    readonly breath?: () => Promise<unknown>;
  },
): Promise<void> {
  const breath = at.breath ?? setImmediate;
  const near: (readonly [string, Iterable<File>])[] = [];
  const far: (readonly [string, File])[] = [];
  await severalAtOnce([...files], async ([directory, here]) => {
    if (await isLocal(directory)) near.push([directory, here]);
    else for (const file of here) far.push([directory, file]);
  });
  let begin = performance.now();
  for (const [directory, here] of near) {
    for (const file of here) {
      at.once(file, directory);
      if (performance.now() - begin < SLICE) continue;
      await breath();
      begin = performance.now();
    }
  }
  await severalAtOnce(far, ([directory, file]) => at.leisure(file, directory));
}

/** What cannot be looked at counts as distant. */
async function isLocal(directory: string): Promise<boolean> {
  const found = await statfs(directory).catch(() => undefined);
  return found !== undefined && !distant.has(found.type >>> 0);
}

/** Milliseconds of blocking work between two breaths. */
const SLICE = 1;

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
