/**
 * The directories of commits: written beside each other, read-only, one of them linked as `current`. Replacing the link is the
 * only step that changes what runs, so a crash at any moment leaves the old or the new commit.
 */
import { createHash, randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import {
  chmod,
  lstat,
  mkdir,
  open,
  readdir,
  readFile,
  readlink,
  rename,
  rm,
  symlink,
} from "node:fs/promises";
import { basename, dirname, join, relative } from "node:path";
import { syncDirectory } from "../services/store/backup.js";
import type { CommitFiles } from "./mirror.js";
import type { TreeEntry } from "./tree.js";

/** A written commit. */
export interface WrittenCommit {
  readonly commit: string;
  /** Absolute. */
  readonly directory: string;
  readonly entries: readonly TreeEntry[];
}

/** Newest commits that stay on disk besides the current one. */
const KEPT = 3;

export class CommitDirectories {
  readonly #base: string;
  readonly #link: string;

  constructor(directory: string) {
    this.#base = join(directory, "commits");
    this.#link = join(directory, "current");
  }

  /** The root file of what is current; the same path for every commit. */
  get root(): string {
    return join(this.#link, "main.reeve");
  }

  async open(): Promise<void> {
    await mkdir(this.#base, { recursive: true, mode: 0o755 });
  }

  /** What the link names, if it is complete. */
  async current(): Promise<WrittenCommit | undefined> {
    const target = await readlink(this.#link).catch(() => undefined);
    return target === undefined ? undefined : this.find(basename(target));
  }

  /** A complete commit by the name of its directory. */
  async find(name: string): Promise<WrittenCommit | undefined> {
    const directory = join(this.#base, name);
    try {
      const list = JSON.parse(await readFile(`${directory}.json`, "utf8")) as Omit<
        WrittenCommit,
        "directory"
      >;
      return { ...list, directory };
    } catch {
      return undefined;
    }
  }

  async write(commit: string, files: CommitFiles): Promise<WrittenCommit> {
    const name = `${commit.slice(0, 12)}-${randomBytes(4).toString("hex")}`;
    const directory = join(this.#base, name);
    await mkdir(directory, { mode: 0o755 });
    const made = new Set([directory]);
    for (const { entry, content } of files.values()) {
      const path = join(directory, entry.path);
      const parent = dirname(path);
      if (!made.has(parent)) {
        await mkdir(parent, { recursive: true, mode: 0o755 });
        made.add(parent);
      }
      if (entry.kind === "link") await symlink(content.toString("utf8"), path);
      else await writeDurably(path, content, entry.kind === "program" ? 0o555 : 0o444);
    }
    const entries = [...files.values()].map(({ entry }) => entry);
    for (const each of await directoriesIn(directory)) {
      await syncDirectory(each);
      await chmod(each, 0o555);
    }
    await writeDurably(`${directory}.json`, JSON.stringify({ commit, entries }), 0o444);
    await syncDirectory(this.#base);
    return { commit, directory, entries };
  }

  /** Makes a written commit the current one, in one step that a power cut does not undo. */
  async switchTo({ directory }: Pick<WrittenCommit, "directory">): Promise<void> {
    const next = `${this.#link}.${randomBytes(4).toString("hex")}`;
    await symlink(relative(dirname(this.#link), directory), next);
    await rename(next, this.#link);
    await syncDirectory(dirname(this.#link));
  }

  /** The first path that is not as the commit has it; contents are compared by the hash that git gives them. */
  async difference({ directory, entries }: WrittenCommit): Promise<string | undefined> {
    const expected = new Set(entries.map(({ path }) => path));
    for (const entry of entries) {
      if (!(await isIntact(join(directory, entry.path), entry))) return entry.path;
    }
    return (await filesIn(directory)).find((path) => !expected.has(path));
  }

  /** Removes commits that are neither kept nor new, unless a process works in them. */
  async prune(...keep: readonly WrittenCommit[]): Promise<void> {
    const found = await readdir(this.#base);
    const names = found.filter((name) => !name.endsWith(".json"));
    const dated = await Promise.all(
      names.map(async (name) => ({ name, at: (await lstat(join(this.#base, name))).ctimeMs })),
    );
    const old = dated.sort((a, b) => b.at - a.at).slice(KEPT);
    const used = await workingDirectories();
    for (const { name } of old) {
      const directory = join(this.#base, name);
      const isUsed = used.some((path) => path === directory || path.startsWith(`${directory}/`));
      if (isUsed || keep.some((each) => each.directory === directory)) continue;
      await this.remove({ directory });
    }
    // The list of a directory that was never finished, or is gone.
    for (const name of found.filter((each) => each.endsWith(".json"))) {
      const directory = join(this.#base, name.slice(0, -5));
      if (!existsSync(directory)) await rm(`${directory}.json`, { force: true });
    }
  }

  async remove({ directory }: Pick<WrittenCommit, "directory">): Promise<void> {
    for (const each of await directoriesIn(directory)) await chmod(each, 0o755);
    await rm(directory, { recursive: true, force: true });
    await rm(`${directory}.json`, { force: true });
  }
}

/** The commit that the root file belongs to. */
export async function commitOf(
  root: string,
): Promise<{ commit: string; dirty: boolean } | undefined> {
  const current = await new CommitDirectories(dirname(dirname(root))).current();
  return current && { commit: current.commit, dirty: false };
}

/** On the disk when it resolves. */
async function writeDurably(path: string, content: string | Buffer, mode: number): Promise<void> {
  const file = await open(path, "wx", mode);
  try {
    await file.writeFile(content);
    await file.chmod(mode);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function directoriesIn(directory: string): Promise<readonly string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  const below = found.filter((each) => each.isDirectory());
  return [directory, ...below.map(({ parentPath, name }) => join(parentPath, name))];
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const found = await readdir(directory, { recursive: true, withFileTypes: true });
  return found
    .filter((each) => !each.isDirectory())
    .map(({ parentPath, name }) => relative(directory, join(parentPath, name)));
}

async function isIntact(path: string, { kind, oid, size }: TreeEntry): Promise<boolean> {
  try {
    const found = await lstat(path);
    if (found.isSymbolicLink() !== (kind === "link")) return false;
    if (kind !== "link" && (!found.isFile() || found.size !== size)) return false;
    if (kind !== "link" && ((found.mode & 0o111) !== 0) !== (kind === "program")) return false;
    const content = kind === "link" ? Buffer.from(await readlink(path)) : await readFile(path);
    const hash = createHash(oid.length === 64 ? "sha256" : "sha1");
    return hash.update(`blob ${content.length}\0`).update(content).digest("hex") === oid;
  } catch {
    return false;
  }
}

/** Of all processes that this user may ask about. */
async function workingDirectories(): Promise<readonly string[]> {
  const processes = (await readdir("/proc").catch(() => [])).filter((name) => /^\d+$/.test(name));
  const found = await Promise.all(
    processes.map((pid) => readlink(`/proc/${pid}/cwd`).catch(() => undefined)),
  );
  return found.filter((path) => path !== undefined);
}
