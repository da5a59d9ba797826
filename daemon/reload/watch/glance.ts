/** A look at what files say of themselves, without reading them: for looking often. */
import { setImmediate } from "node:timers/promises";
import { Dirt, type Happened } from "./dirt.js";
import { forEachFile } from "./local.js";
import { type Look, reach } from "./look.js";
import type { Reading } from "./read-file.js";
import { isCoarse, type Stamp, sameStamp, stampNow, stampPatiently } from "./stamp.js";
import { pathIn } from "./walk.js";

/** What is not as it was when it was looked at. `breath` is taken every millisecond. */
export async function glance(
  wanted: readonly string[],
  look: Look,
  breath: () => Promise<unknown> = setImmediate,
): Promise<Happened> {
  const dirt = new Dirt();
  const reached = await reach(wanted);
  const compare = (directory: string, name: string, stamp: Stamp | undefined): void => {
    const index = look.places.get(directory)?.get(name);
    if (index === undefined) dirt.addEverything();
    else if (isOther(look.readings[index] as Reading, stamp)) dirt.add(directory, name);
  };
  await forEachFile(new Map([...reached].map(([directory, names]) => [directory, names.keys()])), {
    once: (name, directory) => compare(directory, name, stampNow(pathIn(directory, name))),
    leisure: async (name, directory) =>
      compare(directory, name, await stampPatiently(pathIn(directory, name))),
    breath,
  });
  if (count(reached) < count(look.places)) dirt.addEverything();
  return dirt;
}

/** One that was written a moment before it was read is read again once its stamp can be believed. */
const isOther = (before: Reading, stamp: Stamp | undefined): boolean =>
  !sameStamp(before.stamp, stamp) ||
  (stamp !== undefined && !before.isSure && before.file.error === undefined && !isCoarse(stamp));

function count(places: ReadonlyMap<string, ReadonlyMap<string, unknown>>): number {
  let files = 0;
  for (const names of places.values()) files += names.size;
  return files;
}
