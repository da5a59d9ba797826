/** Copies a state directory while a daemon uses it, or while none does. */
import { createHash } from "node:crypto";
import { createReadStream, createWriteStream, existsSync } from "node:fs";
import {
  lstat,
  mkdir,
  mkdtemp,
  open,
  readdir,
  rename,
  rm,
  rmdir,
  stat,
  writeFile,
} from "node:fs/promises";
import { basename, dirname, join, relative, resolve, sep } from "node:path";
import { backup, DatabaseSync } from "node:sqlite";
import { pipeline } from "node:stream/promises";
import { ReeveError } from "../../errors.js";
import { osErrorReason } from "../os-error.js";
import { sumsOf } from "./pages/page-sums.js";
import { magic } from "./pages/read-pages.js";

/** What lies beside the files of a backup. */
export interface BackupManifest {
  /** Of this layout. */
  readonly format: 1;
  /** Of Reeve. */
  readonly version: string;
  /** Milliseconds since the epoch. */
  readonly at: number;
  readonly files: readonly BackupFile[];
}

export interface BackupFile {
  /** Relative, with `/`. */
  readonly path: string;
  readonly size: number;
  readonly sha256: string;
}

export const manifestName = "manifest.json";

export interface BackupOptions {
  /** Absolute path of the state directory. */
  readonly state: string;
  /** Absolute path of a directory that does not exist or is empty. */
  readonly to: string;
  readonly version: string;
  readonly now: number;
  /** Copies the host's database to a path; by default with a connection of its own, which a running daemon does not permit. */
  readonly copyHostDatabase?: (to: string) => Promise<void>;
}

/** Pages copied at once: the connection waits for no more than that. */
const pages = 500;
const hostDatabase: string = "reeve.db";
/** Below the state directory: where a backup without a path goes. */
const backups = "backups";
/** Names in the state directory of what belongs to one daemon's life or can be made again. */
const left: ReadonlySet<string> = new Set([
  ...["daemon.lock", "daemon.pid", "commands", "journal.mark", "temporary", "cache", backups],
]);
/** Files beside a database: what is in them is in its copy, or about the original. */
const besideDatabase = /^(.+)(-(wal|shm|pages|sums|suspect)|\.(restored|rebuilt|made|damaged-.+))$/;
const segment = /^journal-\d+\.segment$/;

/**
 * The order makes the copy whole: the host's database first, so that a job whose effect is in a plugin's tables is known to
 * have had it; the journal last, since it has what the database got after its copy.
 * @throws ReeveError when the copy cannot be made; then nothing is left of it
 */
export async function backUp(options: BackupOptions): Promise<BackupManifest> {
  const { state, to, version, now } = options;
  if (!outside(state, to) && outside(join(state, backups), to)) {
    throw unusable(to, `it is in the state directory ${state}`);
  }
  let partial: string | undefined;
  try {
    await requireEmpty(to);
    await mkdir(dirname(to), { recursive: true, mode: 0o700 });
    partial = await mkdtemp(join(dirname(to), `.${basename(to)}-`));
    const files = await copyState(options, partial);
    const manifest: BackupManifest = { format: 1, version, at: now, files };
    await writeFile(join(partial, manifestName), `${JSON.stringify(manifest, undefined, 2)}\n`, {
      mode: 0o600,
      flush: true,
    });
    await syncDirectory(partial);
    await rmdir(to).catch(() => undefined);
    await rename(partial, to);
    await syncDirectory(dirname(to));
    return manifest;
  } catch (thrown) {
    if (partial !== undefined) await rm(partial, { recursive: true, force: true });
    throw thrown instanceof ReeveError ? thrown : unusable(to, osErrorReason(thrown), thrown);
  }
}

/** Where a backup goes that was given no path: below the state directory, which the daemon can write in any case. */
export const defaultBackup = (state: string, now: number): string =>
  join(state, backups, new Date(now).toISOString().replace(/[:.]/g, "-"));

/** Whether a state directory has anything that a backup would have. @throws an error of the operating system */
export async function holdsState(state: string): Promise<boolean> {
  const names = await readdir(state);
  return names.some((name) => !left.has(name));
}

const outside = (directory: string, path: string): boolean =>
  relative(directory, path).split(sep)[0] === "..";

async function copyState(
  { state, copyHostDatabase }: BackupOptions,
  to: string,
): Promise<readonly BackupFile[]> {
  const found = await filesIn(state, state);
  const host = found.filter((path) => path === hostDatabase);
  const journal = found.filter((path) => segment.test(path));
  const others = found.filter((path) => !host.includes(path) && !journal.includes(path));
  const copied: BackupFile[] = [];
  for (const path of [...host, ...others, ...journal]) {
    const from = join(state, path);
    const copy = join(to, path);
    await mkdir(dirname(copy), { recursive: true, mode: 0o700 });
    try {
      if (path === hostDatabase && copyHostDatabase) await copyHostDatabase(copy);
      else if (await isDatabase(from)) await copyDatabase(from, copy);
      else await copyFile(from, copy);
    } catch (thrown) {
      // Files come and go while a daemon runs.
      if ((thrown as NodeJS.ErrnoException).code === "ENOENT") continue;
      throw thrown;
    }
    copied.push({ path: path.split(sep).join("/"), ...(await digestOf(copy)) });
  }
  return copied;
}

/** Regular files, relative to `root`; of a git repository the references before the objects, so that no reference lacks its object. */
async function filesIn(root: string, directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { withFileTypes: true });
  const lastObjects = (name: string): number => (name === "objects" ? 1 : 0);
  entries.sort((a, b) => lastObjects(a.name) - lastObjects(b.name) || (a.name < b.name ? -1 : 1));
  const names = new Set(entries.map(({ name }) => name));
  const found: string[] = [];
  for (const entry of entries) {
    const { name } = entry;
    const path = join(directory, name);
    if (directory === root && left.has(name)) continue;
    if (entry.isDirectory()) found.push(...(await filesIn(root, path)));
    else if (entry.isFile() && !names.has(besideDatabase.exec(name)?.[1] ?? "")) {
      found.push(relative(root, path));
    }
  }
  return found;
}

async function isDatabase(path: string): Promise<boolean> {
  // This daemon may have it open: closing another descriptor of the file would drop SQLite's locks on it.
  if (existsSync(sumsOf(path))) return true;
  const file = await open(path);
  try {
    const { buffer, bytesRead } = await file.read(Buffer.alloc(magic.length), 0, magic.length, 0);
    return buffer.toString("latin1", 0, bytesRead) === magic;
  } finally {
    await file.close();
  }
}

async function copyDatabase(from: string, to: string): Promise<void> {
  const database = new DatabaseSync(from, { timeout: 5000, readOnly: true });
  try {
    await copyOpenDatabase(database, to);
  } finally {
    database.close();
  }
}

/** A consistent copy of an open database, on the disk when this resolves. Its connection goes on writing. */
export async function copyOpenDatabase(database: DatabaseSync, to: string): Promise<void> {
  await backup(database, to, { rate: pages });
  const file = await open(to, "r+");
  try {
    await file.chmod(0o600);
    await file.sync();
  } finally {
    await file.close();
  }
}

/** On the disk when this resolves; readable by its owner alone. */
export async function copyFile(from: string, to: string): Promise<void> {
  const mode = (await stat(from)).mode & 0o700;
  await pipeline(createReadStream(from), createWriteStream(to, { mode, flush: true }));
}

/** @throws an error of the operating system */
export async function digestOf(path: string): Promise<Omit<BackupFile, "path">> {
  const hash = createHash("sha256");
  let size = 0;
  for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
    hash.update(chunk);
    size += chunk.length;
  }
  return { size, sha256: hash.digest("hex") };
}

async function requireEmpty(to: string): Promise<void> {
  const found = await lstat(to).catch(() => undefined);
  if (found === undefined) return;
  if (!found.isDirectory() || (await readdir(to)).length > 0) {
    throw unusable(to, "it exists and is not an empty directory");
  }
}

export async function syncDirectory(path: string): Promise<void> {
  const directory = await open(resolve(path), "r");
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

const unusable = (to: string, reason: string, cause?: unknown): ReeveError =>
  new ReeveError("backup_failed", `Cannot write the backup ${to}: ${reason}.`, {
    help: "Name a new directory that the daemon's user and its systemd unit may write, or none: then it goes below the state directory.",
    cause,
  });
