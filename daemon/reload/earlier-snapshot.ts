/** The texts of an earlier generation. */
import { ReeveError } from "../errors.js";
import type { GenerationHistory } from "./generation-history.js";
import type { Snapshot } from "./snapshot.js";
import type { SnapshotArchive } from "./snapshot-archive.js";

/** @throws ReeveError when generation `number` never ran, or is not kept */
export async function earlierSnapshot(
  number: number,
  root: string,
  ledger: GenerationHistory,
  archive: SnapshotArchive,
): Promise<Snapshot> {
  const generation = await ledger.get(number);
  if (!generation) {
    throw new ReeveError("generation_unknown", `There is no generation ${number}.`, {
      help: "`reeve history` lists them.",
    });
  }
  if (generation.state === "rejected") {
    throw new ReeveError(
      "generation_never_ran",
      `Generation ${number} was refused and never ran.`,
      { help: "Choose one that ran; `reeve history` shows them." },
    );
  }
  const snapshot = await archive.get(number);
  if (snapshot?.root === root) return snapshot;
  throw new ReeveError(
    "generation_not_kept",
    `The texts of generation ${number} are no longer kept.`,
    { help: "Restore the files from git instead." },
  );
}
