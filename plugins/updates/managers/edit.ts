/** Writes new requirements into manifests: only the values change. */
import { UpdatesError } from "../errors.js";
import { replaced, type TextRange } from "../text/text.js";
import type { Declaration, FileTexts, LockOutcome, VersionChange } from "./contract.js";

/** How the manifest writes a new value. */
export type Encode = (value: string, declaration: Declaration) => string;

/** Only the files that change. @throws UpdatesError `manifest_unreadable` for a file that is not among `files`, `does_not_resolve` */
export function editManifests(
  files: FileTexts,
  changes: readonly VersionChange[],
  encode: Encode = (value) => value,
): FileTexts {
  const edits = new Map<string, Map<number, { range: TextRange; text: string }>>();
  for (const { dependency, requirements } of changes)
    for (const [index, declaration] of dependency.declarations.entries()) {
      const value = requirements[index];
      if (value === undefined || value === declaration.requirement) continue;
      const { file, range } = declaration;
      const text = encode(value, declaration);
      const inFile = edits.get(file) ?? new Map();
      edits.set(file, inFile);
      // One property may hold the version of several dependencies.
      const same = inFile.get(range.start);
      if (same && same.text !== text)
        throw new UpdatesError(
          "does_not_resolve",
          `${file} has one ${declaration.requirement} for several dependencies, which need different versions.`,
        );
      inFile.set(range.start, { range, text });
    }
  return new Map(
    [...edits].map(([file, inFile]) => {
      const text = files.get(file);
      if (text === undefined)
        throw new UpdatesError("manifest_unreadable", `${file} was not read, so it is not edited.`);
      return [file, replaced(text, [...inFile.values()])];
    }),
  );
}

/** One outcome for several lock files: stale where one of them is. */
export const combineLocks = (outcomes: readonly LockOutcome[]): LockOutcome =>
  outcomes.find(({ kind }) => kind === "stale") ?? outcomes[0] ?? { kind: "absent" };
