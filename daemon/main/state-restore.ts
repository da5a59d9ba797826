/** Puts a backup in the place of a state directory that no daemon uses. */
import { chown, mkdir, mkdtemp, readFile, rename, rm, rmdir, stat } from "node:fs/promises";
import { basename, dirname, join, normalize } from "node:path";
import { ReeveError } from "../errors.js";
import { osErrorReason } from "../services/os-error.js";
import {
  type BackupFile,
  type BackupManifest,
  copyFile,
  digestOf,
  holdsState,
  manifestName,
  syncDirectory,
} from "../services/store/backup.js";
import { lockDirectory } from "./lock.js";

export { type BackupManifest, backUp, defaultBackup } from "../services/store/backup.js";

export interface RestoreOptions {
  /** Absolute path of a backup. */
  readonly from: string;
  /** Absolute path of the state directory. */
  readonly state: string;
  /** Moves what is in the state directory to a directory beside it; without it, that is an error. */
  readonly replace: boolean;
  readonly now: number;
}

export interface Restored {
  readonly manifest: BackupManifest;
  /** Where the previous state is now. */
  readonly kept?: string;
}

/**
 * Copies and verifies everything before it changes anything; the change is a rename.
 * @throws ReeveError `restore_failed`, `already_running` or `state_directory`; then the state directory is as it was
 */
export async function restoreState(options: RestoreOptions): Promise<Restored> {
  const { from, state, replace, now } = options;
  const manifest = await readManifest(from);
  // The lock is in the directory that goes: a daemon that starts meanwhile waits for nothing and finds the one or the other.
  const unlock = lockDirectory(state);
  let copy: string | undefined;
  try {
    const isUsed = await holdsState(state);
    if (isUsed && !replace) {
      throw unusable(
        `${state} has a state already`,
        "Add `--replace` to keep that in a directory beside it, or choose another one with `--state`.",
      );
    }
    const { uid, gid } = await stat(state);
    copy = await mkdtemp(join(dirname(state), `.${basename(state)}-`));
    await copyAll(from, copy, manifest, { uid, gid });
    const kept = `${state}.before-${new Date(now).toISOString().replace(/[:.]/g, "-")}`;
    await exchange(copy, state, kept);
    if (isUsed) return { manifest, kept };
    await rm(kept, { recursive: true, force: true });
    return { manifest };
  } catch (thrown) {
    if (copy !== undefined) await rm(copy, { recursive: true, force: true });
    if (thrown instanceof ReeveError) throw thrown;
    throw unusable(`${from} cannot be restored to ${state}: ${osErrorReason(thrown)}`);
  } finally {
    unlock();
  }
}

/** @throws ReeveError `restore_failed` when the directory is no complete backup */
async function readManifest(from: string): Promise<BackupManifest> {
  const path = join(from, manifestName);
  let text: string;
  try {
    text = await readFile(path, "utf8");
  } catch (thrown) {
    throw unusable(
      `${from} is no backup: ${manifestName} cannot be read: ${osErrorReason(thrown)}`,
    );
  }
  try {
    const manifest: unknown = JSON.parse(text);
    if (isManifest(manifest)) return manifest;
  } catch {
    // Said below.
  }
  throw unusable(`${path} is no list of a backup's files that this version of Reeve can read`);
}

function isManifest(value: unknown): value is BackupManifest {
  const { format, version, at, files } = (value ?? {}) as Partial<BackupManifest>;
  return (
    format === 1 &&
    typeof version === "string" &&
    Number.isFinite(at) &&
    Array.isArray(files) &&
    files.every(isFile)
  );
}

function isFile(value: Partial<BackupFile> | null): boolean {
  const { path, size, sha256 } = value ?? {};
  return (
    typeof path === "string" &&
    // Relative, and below the directory.
    normalize(path) === path &&
    !/^(\/|\.\.?(\/|$))|\0|^$/.test(path) &&
    Number.isSafeInteger(size) &&
    typeof sha256 === "string"
  );
}

async function copyAll(
  from: string,
  to: string,
  { files }: BackupManifest,
  { uid, gid }: { readonly uid: number; readonly gid: number },
): Promise<void> {
  const own = async (path: string): Promise<void> => {
    const found = await stat(path);
    if (found.uid !== uid || found.gid !== gid) await chown(path, uid, gid);
  };
  const directories = new Set<string>([to]);
  for (const { path, size, sha256 } of files) {
    const copy = join(to, path);
    for (let up = dirname(copy); !directories.has(up); up = dirname(up)) directories.add(up);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    const source = join(from, path);
    await copyFile(source, copy).catch((thrown: unknown) => {
      throw unusable(`the backup's file ${source} cannot be read: ${osErrorReason(thrown)}`);
    });
    const found = await digestOf(copy);
    if (found.size !== size || found.sha256 !== sha256) {
      throw unusable(
        `the backup's file ${source} is damaged: it is not what was written`,
        "Use another backup.",
      );
    }
    await own(copy);
  }
  for (const directory of directories) {
    await own(directory);
    await syncDirectory(directory);
  }
}

/** Moves `state` to `kept` and `copy` to `state`. */
async function exchange(copy: string, state: string, kept: string): Promise<void> {
  await rename(state, kept);
  try {
    await rename(copy, state);
  } catch (thrown) {
    // Only what a daemon has begun just now can be there.
    await rmdir(state).catch(() => undefined);
    await rename(kept, state);
    throw thrown;
  }
  await syncDirectory(dirname(state));
}

const unusable = (message: string, help?: string): ReeveError =>
  new ReeveError("restore_failed", `${message.charAt(0).toUpperCase()}${message.slice(1)}.`, {
    help: help ?? "Nothing has changed.",
  });
