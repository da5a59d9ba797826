/** Reads many files: at once where they are on this machine, patiently where they are not. */
import { hash } from "node:crypto";
import type { FileSet } from "../plugin-api/files.js";
import { forEachFile } from "./local.js";
import { type FileRead, readAsync, readBlocking } from "./read-file.js";
import { sameStamp, stampNow } from "./stat-fingerprint.js";

/** A file to be read, and what it said when it was read last. */
export interface ReadRequest {
  readonly path: string;
  readonly directory: string;
  /** Whether it was a regular file a moment ago. */
  readonly isFile: boolean;
  readonly before?: FileRead | undefined;
}

/**
 * In the same order. What was read before is kept where the file's own data say that it is still the same.
 * `near` are directories of which it is known that they are on this machine; `maxBytes` bounds each file.
 */
export async function readAll(
  files: readonly ReadRequest[],
  near: ReadonlySet<string>,
  maxBytes: number,
): Promise<readonly FileRead[]> {
  const readings = new Array<FileRead>(files.length);
  const contents = new Map<string, FileRead["file"]>();
  await forEachFile(files, near, {
    once: ({ path, isFile, before }, index) => {
      const isSame = before?.isSure && sameStamp(before.stamp, stampNow(path));
      readings[index] = isSame ? before : shared(readBlocking(path, maxBytes, isFile), contents);
    },
    leisure: async ({ path }, index) => {
      readings[index] = shared(await readAsync(path, maxBytes), contents);
    },
  });
  return readings;
}

/** Of files with the same content only one content is kept. */
function shared(reading: FileRead, contents: Map<string, FileRead["file"]>): FileRead {
  const { file } = reading;
  const other = contents.get(file.hash);
  if (!other) contents.set(file.hash, file);
  if (!other || other.content === file.content || file.error !== undefined) return reading;
  return { ...reading, file: { path: file.path, hash: other.hash, content: other.content } };
}

export const hashOf = (content: string | Uint8Array): string => hash("sha256", content);

/** Sets with the same digest have the same files with the same contents. */
export const fileSetDigest = ({ files }: FileSet): string =>
  hashOf(files.map(({ path, hash: of, error }) => `${path}\0${of}\0${error ?? ""}`).join("\n"));

/** Whether they have the same files with the same contents. */
export function sameSet({ files: some }: FileSet, { files: others }: FileSet): boolean {
  if (some === others) return true;
  if (some.length !== others.length) return false;
  for (const [index, file] of some.entries()) {
    const other = others[index];
    if (file === other) continue;
    if (file.path !== other?.path || file.hash !== other.hash || file.error !== other.error) {
      return false;
    }
  }
  return true;
}
