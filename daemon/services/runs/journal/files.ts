/** The files of the journal. Behind an interface, so that a test can stop the disk at every point. */
import {
  closeSync,
  constants,
  fdatasync,
  fsync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  write,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";

export interface JournalFiles {
  list(): readonly string[];
  /** Empty if there is no such file. */
  read(name: string): Buffer;
  /** Creates it if there is none. */
  open(name: string): JournalFile;
  remove(name: string): void;
  /** Resolves when created and removed names are on the disk. */
  syncNames(): Promise<void>;
}

export interface JournalFile {
  /** It survives the process when this returns. @throws an error of the operating system when not all of it is written */
  write(bytes: Uint8Array, at: number): void;
  /** Writes `length` zeros from the beginning. */
  fill(length: number): Promise<void>;
  /** Resolves when all that was written before the call is on the disk. */
  sync(): Promise<void>;
  close(): void;
}

const fillStep = 256 * 1024;
const writeFile = promisify(write);
const syncData = promisify(fdatasync);
const syncAll = promisify(fsync);

export function journalFilesIn(directory: string): JournalFiles {
  return {
    list: () => readdirSync(directory),
    read: (name) => {
      try {
        return readFileSync(join(directory, name));
      } catch (thrown) {
        if ((thrown as NodeJS.ErrnoException).code === "ENOENT") return Buffer.alloc(0);
        throw thrown;
      }
    },
    open: (name) => fileAt(join(directory, name)),
    remove: (name) => rmSync(join(directory, name), { force: true }),
    async syncNames() {
      const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
      try {
        await syncAll(descriptor);
      } finally {
        closeSync(descriptor);
      }
    },
  };
}

function fileAt(path: string): JournalFile {
  const { O_RDWR, O_CREAT, O_NOFOLLOW } = constants;
  const descriptor = openSync(path, O_RDWR | O_CREAT | O_NOFOLLOW, 0o600);
  return {
    write(bytes, at) {
      const written = writeSync(descriptor, bytes, 0, bytes.length, at);
      if (written < bytes.length) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
    },
    async fill(length) {
      const zeros = Buffer.alloc(fillStep);
      for (let at = 0; at < length; ) {
        const { bytesWritten } = await writeFile(
          descriptor,
          ...([zeros, 0, Math.min(fillStep, length - at), at] as const),
        );
        if (bytesWritten === 0) throw Object.assign(new Error("ENOSPC"), { code: "ENOSPC" });
        at += bytesWritten;
      }
    },
    sync: () => syncData(descriptor),
    close: () => closeSync(descriptor),
  };
}
