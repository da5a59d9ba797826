/** Which files may be read at once, and how many of them without keeping everything else waiting. */
import { statfs } from "node:fs/promises";
import { dirname } from "node:path";
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

/**
 * Does something for each file: at once where it is on this machine, with a breath now and then; otherwise waiting,
 * several at a time.
 */
export async function forEachFile(
  paths: readonly string[],
  at: { readonly once: (path: string) => void; readonly leisure: (path: string) => Promise<void> },
): Promise<void> {
  const local = new Map<string, boolean>();
  await severalAtOnce([...new Set(paths.map((path) => dirname(path)))], async (directory) => {
    local.set(directory, await isLocal(directory));
  });
  const { near = [], far = [] } = Object.groupBy(paths, (path) =>
    local.get(dirname(path)) ? "near" : "far",
  );
  await inSlices(near, at.once);
  await severalAtOnce(far, at.leisure);
}

/** What cannot be looked at counts as distant. */
async function isLocal(directory: string): Promise<boolean> {
  const found = await statfs(directory).catch(() => undefined);
  return found !== undefined && !distant.has(found.type >>> 0);
}

/** Milliseconds of blocking work between two breaths. */
const SLICE = 5;

async function inSlices(paths: readonly string[], each: (path: string) => void): Promise<void> {
  let begin = performance.now();
  for (const path of paths) {
    each(path);
    if (performance.now() - begin < SLICE) continue;
    await setImmediate();
    begin = performance.now();
  }
}

const HANDS = 16;

async function severalAtOnce(
  items: readonly string[],
  each: (item: string) => Promise<void>,
): Promise<void> {
  const queue = items.values();
  const hand = async (): Promise<void> => {
    for (const item of queue) await each(item);
  };
  await Promise.all(Array.from({ length: HANDS }, hand));
}
