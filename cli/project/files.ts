/** Files that a command reads and replaces. */
import { randomBytes } from "node:crypto";
import {
  type FileHandle,
  glob,
  open,
  readFile,
  realpath,
  rename,
  rm,
  stat,
} from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative } from "node:path";
import { buffer } from "node:stream/consumers";
import { errorMessage } from "../../daemon/errors.js";
import { Exit, Failure } from "../plugin-api/exit.js";

/** The path as it is shortest from here. */
export function shownPath(path: string, directory = process.cwd()): string {
  const way = relative(directory, path);
  return way === "" ? "." : way.startsWith("../../") || isAbsolute(way) ? path : way;
}

const reasons: Readonly<Record<string, string>> = {
  ENOENT: "it is not there",
  ENOTDIR: "it is not there",
  EACCES: "permission denied",
  EPERM: "permission denied",
  EISDIR: "it is a directory",
  ELOOP: "its symbolic links go in a circle",
  EROFS: "the file system is read-only",
  ENOSPC: "the disk is full",
  EDQUOT: "the quota is used up",
  ENAMETOOLONG: "its name is too long",
};

/** Why the file system refused, in a few words. */
export function reasonOf(thrown: unknown): string {
  const { code } = thrown as NodeJS.ErrnoException;
  return reasons[code ?? ""] ?? errorMessage(thrown);
}

/** The `*.reeve` files below a directory, as paths relative to it, in order; not in `node_modules` or hidden directories. */
export async function filesBelow(directory: string): Promise<readonly string[]> {
  const found = await Array.fromAsync(
    glob("**/*.reeve", {
      cwd: directory,
      withFileTypes: false,
      exclude: (name) => /(^|\/)(node_modules|\.[^/.][^/]*)$/.test(name),
    }),
  );
  return found.sort();
}

/** The text of a file, with its byte order mark if it has one. @throws Failure when it cannot be read or is no text. */
export async function readText(path: string): Promise<string> {
  const name = shownPath(path);
  const bytes = await readFile(path).catch((thrown: unknown) => {
    throw new Failure(Exit.noInput, `\`${name}\` cannot be read: ${reasonOf(thrown)}`, {
      cause: thrown,
    });
  });
  return decoded(bytes, `\`${name}\``);
}

/** All of standard input. */
export const readStdin = async (): Promise<string> =>
  decoded(await buffer(process.stdin), "standard input");

function decoded(bytes: Uint8Array, name: string): string {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    throw new Failure(Exit.noInput, `${name} is not UTF-8 text`);
  }
}

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
