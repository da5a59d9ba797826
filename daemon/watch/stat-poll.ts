/** Compares file stats without reading files: cheap enough to poll. */
import { setImmediate } from "node:timers/promises";
import { ChangedPaths, type PathChange } from "./changes.js";
import { collectFiles, type FileSnapshot } from "./file-snapshot.js";
import { forEachFile } from "./file-system.js";
import { pathIn } from "./glob-walk.js";
import {
  type FileRead,
  isCoarse,
  type StatFingerprint,
  sameStamp,
  stampNow,
  stampPatiently,
} from "./read-files.js";

/** Changes since the snapshot. `yieldTurn` is called every millisecond. */
export async function pollStats(
  wanted: readonly string[],
  look: FileSnapshot,
  yieldTurn: () => Promise<unknown> = setImmediate,
): Promise<PathChange> {
  const changedPaths = new ChangedPaths();
  const { files: indexes, near } = await collectFiles(wanted, undefined, yieldTurn);
  const files = [...indexes].flatMap(([directory, names]) =>
    Array.from(names.keys(), (name) => ({ directory, name })),
  );
  const compare = (
    { directory, name }: (typeof files)[number],
    stamp: StatFingerprint | undefined,
  ): void => {
    const index = look.indexes.get(directory)?.get(name);
    if (index === undefined) changedPaths.addEverything();
    else if (isOther(look.readings[index] as FileRead, stamp)) changedPaths.add(directory, name);
  };
  const pathOf = ({ directory, name }: (typeof files)[number]) => pathIn(directory, name);
  await forEachFile(files, near, {
    once: (file) => compare(file, stampNow(pathOf(file))),
    leisure: async (file) => compare(file, await stampPatiently(pathOf(file))),
    yieldTurn,
  });
  if (files.length < look.readings.length) changedPaths.addEverything();
  return changedPaths;
}

/** A file written just before it was read is read again once its fingerprint is reliable. */
const isOther = (before: FileRead, stamp: StatFingerprint | undefined): boolean =>
  !sameStamp(before.stamp, stamp) ||
  (stamp !== undefined && !before.isSure && before.file.error === undefined && !isCoarse(stamp));
