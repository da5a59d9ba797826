/** Reads many files: at once where they are on this machine, patiently where they are not. */
import { createHash } from "node:crypto";
import type { FileSet } from "../../plugin-api/world.js";
import { forEachFile } from "./local.js";
import { type Reading, readNow, readPatiently, stampNow } from "./read-file.js";

export type Readings = ReadonlyMap<string, Reading>;

/**
 * By path, in the order given. Those of `before` are kept where the file's own data say that it is still the same.
 * `maxBytes` bounds each file.
 */
export async function readAll(
  paths: readonly string[],
  maxBytes: number,
  before: Readings = new Map(),
): Promise<Readings> {
  const readings = new Map<string, Reading | undefined>(paths.map((path) => [path, undefined]));
  await forEachFile(paths, {
    once: (path) => {
      const known = before.get(path);
      const isSame = known !== undefined && known.stamp !== "" && known.stamp === stampNow(path);
      readings.set(path, isSame ? known : readNow(path, maxBytes));
    },
    leisure: async (path) => {
      readings.set(path, await readPatiently(path, maxBytes));
    },
  });
  return readings as Readings;
}

export const hashOf = (content: string | Uint8Array): string =>
  createHash("sha256").update(content).digest("hex");

/** Sets with the same digest have the same files with the same contents. */
export const digestOf = ({ files }: FileSet): string =>
  hashOf(files.map(({ path, hash, error }) => `${path}\0${hash}\0${error ?? ""}`).join("\n"));

/** Whether they have the same files with the same contents. */
export const sameSet = (one: FileSet, other: FileSet): boolean =>
  one === other ||
  (one.files.length === other.files.length &&
    one.files.every((file, index) => {
      const twin = other.files[index];
      return (
        file === twin ||
        (file.path === twin?.path && file.hash === twin.hash && file.error === twin.error)
      );
    }));
