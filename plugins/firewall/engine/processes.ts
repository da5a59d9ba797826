/** What `/proc` says about processes, without failures: a process may end at any time. */
import { closeSync, openSync, readdirSync, readlinkSync, readSync, statSync } from "node:fs";

/** Stays open, because every connection reads it. */
let births: number | undefined;

/** The machine's last process or thread id; undefined if unknown. */
export function lastBirth(): string | undefined {
  try {
    births ??= openSync("/proc/loadavg", "r");
    const text = buffer.toString("latin1", 0, readSync(births, buffer, 0, 256, 0));
    const last = text.slice(text.lastIndexOf(" ") + 1).trim();
    return Number(last) > 0 ? last : undefined;
  } catch {
    return undefined;
  }
}

/** The processes and all their descendants, parents before children. */
export function processesBelow(roots: readonly number[]): number[] {
  const found = [...roots];
  for (const pid of found) {
    for (const task of list(`/proc/${pid}/task`)) {
      const children = read(`/proc/${pid}/task/${task}/children`);
      for (const child of children.split(" ")) if (child !== "") found.push(Number(child));
    }
  }
  return found;
}

/** How many descriptors a process has, since Linux 6.2; zero before. */
export function descriptorsOf(pid: number): number {
  try {
    return statSync(`/proc/${pid}/fd`).size;
  } catch {
    return 0;
  }
}

let buffer = Buffer.allocUnsafe(64 * 1024);

/** Files of `/proc` have no size in advance. Empty if the process has ended. */
export function read(path: string): string {
  try {
    const descriptor = openSync(path, "r");
    try {
      let length = 0;
      for (;;) {
        const got = readSync(descriptor, buffer, length, buffer.length - length, null);
        length += got;
        if (got === 0) return buffer.toString("latin1", 0, length);
        if (length === buffer.length) buffer = Buffer.concat([buffer, Buffer.allocUnsafe(length)]);
      }
    } finally {
      closeSync(descriptor);
    }
  } catch {
    return "";
  }
}

export function list(directory: string): string[] {
  try {
    return readdirSync(directory);
  } catch {
    return [];
  }
}

export function link(path: string): string {
  try {
    return readlinkSync(path);
  } catch {
    return "";
  }
}
