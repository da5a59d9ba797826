/** Snapshots on disk: those of the last generations, and the last good one. Readable by the daemon's user only. */
import { mkdir, open, readdir, readFile, rename, rm } from "node:fs/promises";
import { join } from "node:path";
import { errorMessage } from "../errors.js";
import type { Log } from "../plugin-api/context.js";
import type { Snapshot } from "./snapshot.js";

export interface StoredSnapshot {
  readonly generation: number;
  readonly snapshot: Snapshot;
}

/** How many generations one can go back to. */
const KEPT = 50;
const LAST_GOOD = "last-good.json";

export class SnapshotArchive {
  readonly #directory: string;
  readonly #log: Log;

  private constructor(directory: string, log: Log) {
    this.#directory = directory;
    this.#log = log;
  }

  /** `state` is the daemon's directory for what survives restarts. */
  static async open(state: string, log: Log): Promise<SnapshotArchive> {
    const directory = join(state, "generations");
    await mkdir(directory, { recursive: true, mode: 0o700 });
    return new SnapshotArchive(directory, log);
  }

  /** The highest number there is a snapshot of; 0 without any. */
  async newest(): Promise<number> {
    return Math.max(0, ...(await this.#numbers()), (await this.lastGood())?.generation ?? 0);
  }

  /** Write errors are logged and do not stop a generation. */
  async keep(archived: StoredSnapshot): Promise<void> {
    await this.#write(`${archived.generation}.json`, archived);
    const old = (await this.#numbers()).sort((a, b) => b - a).slice(KEPT);
    await Promise.all(old.map((number) => rm(join(this.#directory, `${number}.json`))));
  }

  async get(generation: number): Promise<Snapshot | undefined> {
    return (await this.#read(`${generation}.json`))?.snapshot;
  }

  /** What a start falls back to when the disk is wrong. */
  markGood(archived: StoredSnapshot): Promise<void> {
    return this.#write(LAST_GOOD, archived);
  }

  lastGood(): Promise<StoredSnapshot | undefined> {
    return this.#read(LAST_GOOD);
  }

  async #numbers(): Promise<number[]> {
    const names = await readdir(this.#directory);
    return names.flatMap((name) => (/^\d+\.json$/.test(name) ? [Number.parseInt(name, 10)] : []));
  }

  /** Whole or not at all, whenever the power fails. */
  async #write(name: string, archived: StoredSnapshot): Promise<void> {
    const path = join(this.#directory, name);
    try {
      await rm(`${path}.new`, { force: true });
      const file = await open(`${path}.new`, "wx", 0o600);
      try {
        await file.writeFile(JSON.stringify(archived));
        await file.sync();
      } finally {
        await file.close();
      }
      await rename(`${path}.new`, path);
    } catch (thrown) {
      const reason = errorMessage(thrown);
      this.#log.error("A configuration could not be kept for later", { path, reason });
    }
  }

  async #read(name: string): Promise<StoredSnapshot | undefined> {
    const path = join(this.#directory, name);
    try {
      const read: unknown = JSON.parse(await readFile(path, "utf8"));
      if (isArchived(read)) return read;
      this.#log.warn("A kept configuration cannot be understood", { path });
    } catch (thrown) {
      if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      const reason = errorMessage(thrown);
      this.#log.warn("A kept configuration cannot be read", { path, reason });
    }
    return undefined;
  }
}

function isArchived(value: unknown): value is StoredSnapshot {
  const { generation, snapshot } = (value ?? {}) as Partial<StoredSnapshot>;
  return (
    Number.isInteger(generation) &&
    typeof snapshot?.root === "string" &&
    typeof snapshot.files === "object" &&
    typeof snapshot.globs === "object"
  );
}
