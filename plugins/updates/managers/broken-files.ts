/** FileTexts that cannot be read are reported; the rest of the project is parsed without them. */
import { UpdatesError } from "../errors.js";
import type { ParsedProject, RepositoryPath } from "./contract.js";

export type BrokenFiles = ParsedProject["broken"][number][];

/** The result of `read`; undefined for a file that cannot be read, whose error goes to `broken`. */
export function readOrReport<Result>(
  file: RepositoryPath,
  broken: BrokenFiles,
  read: () => Result,
): Result | undefined {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof UpdatesError)) throw error;
    broken.push({ file, why: error.message });
    return undefined;
  }
}
