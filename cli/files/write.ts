/** Replaces files whole: whoever reads sees the old text or the new one. */
import { randomBytes } from "node:crypto";
import { type FileHandle, open, realpath, rename, rm, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { shownPath } from "../configuration.js";
import { Exit, Failure } from "../exit.js";
import { reasonOf } from "./reason.js";

/**
 * Writes the text to an existing file. A symbolic link goes on pointing where it points; mode and owner stay.
 * @throws Failure when it cannot be written; nothing has changed then.
 */
export async function replaceFile(path: string, text: string): Promise<void> {
  try {
    await replace(await realpath(path), text);
  } catch (thrown) {
    throw new Failure(
      Exit.cannotCreate,
      `\`${shownPath(path)}\` cannot be written: ${reasonOf(thrown)}`,
      { cause: thrown },
    );
  }
}

async function replace(path: string, text: string): Promise<void> {
  const before = await stat(path);
  // No name that a pattern of an import could match.
  const beside = join(dirname(path), `.${basename(path)}.${randomBytes(6).toString("hex")}.tmp`);
  const file = await open(beside, "wx", 0o600);
  try {
    await fill(file, text, before);
    await rename(beside, path);
  } catch (thrown) {
    await rm(beside, { force: true });
    throw thrown;
  }
}

async function fill(
  file: FileHandle,
  text: string,
  { mode, uid, gid }: { readonly mode: number; readonly uid: number; readonly gid: number },
): Promise<void> {
  try {
    await file.writeFile(text);
    const made = await file.stat();
    if (made.uid !== uid || made.gid !== gid) await file.chown(uid, gid);
    await file.chmod(mode & 0o7777);
    await file.sync();
  } finally {
    await file.close();
  }
}
