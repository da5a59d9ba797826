/** The files of the journal. Behind an interface, so that a test can stop the disk at every point. */
import {
  closeSync,
  constants,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { getSystemErrorName } from "node:util";
import { ReeveError } from "../../../errors.js";
import { OwnThread } from "../../own-thread/own-thread.js";
import type { Perform } from "../../own-thread/serve.js";

export interface JournalFiles {
  list(): readonly string[];
  /** Empty if there is no such file. */
  read(name: string): Buffer;
  /** Creates it if there is none. */
  open(name: string): JournalFile;
  remove(name: string): void;
  /** What is written to a removed directory, no later daemon finds. @throws ReeveError when it is another than at first, or none */
  demandHere(): void;
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

/** Bytes that are filled at once: a sync that a request waits for comes between two steps. */
const fillStep = 256 * 1024;

const syncData = 0n;
const syncAll = 1n;
const fillZeros = 2n;

/** In a thread of its own. The result is the number of an error, or 0. */
function makePerform(): Perform {
  const { fdatasyncSync, fsyncSync, writeSync } = process.getBuiltinModule("node:fs");
  const full = -28;
  return ([what, file, at = 0n, length]) => {
    const descriptor = Number(file);
    try {
      if (what === 0n) fdatasyncSync(descriptor);
      else if (what === 1n) fsyncSync(descriptor);
      else {
        const zeros = new Uint8Array(Number(length));
        const written = writeSync(descriptor, zeros, 0, zeros.length, Number(at));
        if (written < zeros.length) return full;
      }
      return 0;
    } catch (thrown) {
      return (thrown as NodeJS.ErrnoException).errno ?? full;
    }
  };
}

async function onDisk(...values: readonly bigint[]): Promise<void> {
  const number = await thread.call(...values);
  if (number === 0) return;
  const code = getSystemErrorName(number);
  throw Object.assign(new Error(code), { code });
}

/** One a process: it starts with the first call. */
const thread = new OwnThread("journal", makePerform);

export function journalFilesIn(directory: string): JournalFiles {
  const inode = (): number | undefined => statSync(directory, { throwIfNoEntry: false })?.ino;
  const first = inode();
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
    demandHere() {
      if (inode() === first) return;
      const what = `The state directory ${directory} was removed or replaced: what is accepted now would be lost.`;
      throw new ReeveError("store_unwritable", what, {
        help: "Put it back, or restart the daemon.",
      });
    },
    remove: (name) => rmSync(join(directory, name), { force: true }),
    async syncNames() {
      const descriptor = openSync(directory, constants.O_RDONLY | constants.O_DIRECTORY);
      try {
        await onDisk(syncAll, BigInt(descriptor));
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
      for (let at = 0; at < length; at += fillStep) {
        const step = BigInt(Math.min(fillStep, length - at));
        await onDisk(fillZeros, BigInt(descriptor), BigInt(at), step);
      }
    },
    sync: () => onDisk(syncData, BigInt(descriptor)),
    close: () => closeSync(descriptor),
  };
}
