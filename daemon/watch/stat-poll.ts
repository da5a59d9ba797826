/** A look at what files say of themselves, without reading them: for looking often. */
import { setImmediate } from "node:timers/promises";
import { ChangedPaths, type PathChange } from "./changed-paths.js";
import { type FileSnapshot, reach } from "./file-snapshot.js";
import { pathIn } from "./glob-walk.js";
import { forEachFile } from "./local.js";
import type { Reading } from "./read-file.js";
import {
  isCoarse,
  type StatFingerprint,
  sameStamp,
  stampNow,
  stampPatiently,
} from "./stat-fingerprint.js";

/** What is not as it was when it was looked at. `breath` is taken every millisecond. */
export async function pollStats(
  wanted: readonly string[],
  look: FileSnapshot,
  breath: () => Promise<unknown> = setImmediate,
): Promise<PathChange> {
  const dirt = new ChangedPaths();
  const { places, near } = await reach(wanted, undefined, breath);
  const files = [...places].flatMap(([directory, names]) =>
    Array.from(names.keys(), (name) => ({ directory, name })),
  );
  const compare = (
    { directory, name }: (typeof files)[number],
    stamp: StatFingerprint | undefined,
  ): void => {
    const index = look.places.get(directory)?.get(name);
    if (index === undefined) dirt.addEverything();
    else if (isOther(look.readings[index] as Reading, stamp)) dirt.add(directory, name);
  };
  const pathOf = ({ directory, name }: (typeof files)[number]) => pathIn(directory, name);
  await forEachFile(files, near, {
    once: (file) => compare(file, stampNow(pathOf(file))),
    leisure: async (file) => compare(file, await stampPatiently(pathOf(file))),
    breath,
  });
  if (files.length < look.readings.length) dirt.addEverything();
  return dirt;
}

/** One that was written a moment before it was read is read again once its stamp can be believed. */
const isOther = (before: Reading, stamp: StatFingerprint | undefined): boolean =>
  !sameStamp(before.stamp, stamp) ||
  (stamp !== undefined && !before.isSure && before.file.error === undefined && !isCoarse(stamp));
