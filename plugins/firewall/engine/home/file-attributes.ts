/** Extended attributes of files and times in nanoseconds, which Node has no calls for: xattr(7), utimensat(2). */
import type { BigIntStats } from "node:fs";

export interface FileAttributes {
  /** Of the entry itself, not of what a link leads to. */
  has(path: string, name: string): boolean;
  get(path: string, name: string): string | undefined;
  remove(path: string, name: string): void;
  /** Gives an entry the attributes of another; what may not be changed stays. */
  copy(from: string, to: string, isCopied: (name: string) => boolean): void;
  /** Of last access and last change. */
  setTimes(path: string, times: Pick<BigIntStats, "atimeNs" | "mtimeNs">): void;
}

/** The longest value, and the longest list of names, in bytes: xattr(7). */
const longest = 64 * 1024;
const [currentDirectory, notThroughLinks] = [-100, 0x100];
const second = 1_000_000_000n;
let opened: Promise<FileAttributes> | undefined;

/** @throws where the C library cannot be called */
export function fileAttributes(): Promise<FileAttributes> {
  opened ??= open();
  return opened;
}

async function open(): Promise<FileAttributes> {
  const { default: koffi } = await import("koffi");
  const library = koffi.load(null);
  const lgetxattr = library.func(
    "intptr_t lgetxattr(const char *path, const char *name, void *value, uintptr_t size)",
  );
  const lremovexattr = library.func("int lremovexattr(const char *path, const char *name)");
  const utimensat = library.func(
    "int utimensat(int directory, const char *path, void *times, int flags)",
  );
  const lsetxattr = library.func(
    "int lsetxattr(const char *path, const char *name, const void *value, uintptr_t size, int flags)",
  );
  const llistxattr = library.func(
    "intptr_t llistxattr(const char *path, void *names, uintptr_t size)",
  );
  const value = Buffer.alloc(longest);
  const namesOf = (path: string): string[] => {
    const length = Number(llistxattr(path, value, value.length));
    return value.toString("latin1", 0, Math.max(0, length)).split("\0").slice(0, -1);
  };
  const copy: FileAttributes["copy"] = (from, to, isCopied) => {
    const wanted = namesOf(from).filter(isCopied);
    for (const name of namesOf(to).filter(isCopied))
      if (!wanted.includes(name)) lremovexattr(to, name);
    for (const name of wanted) {
      const length = Number(lgetxattr(from, name, value, value.length));
      if (length >= 0) lsetxattr(to, name, value, length, 0);
    }
  };
  return {
    copy,
    has: (path, name) => Number(lgetxattr(path, name, null, 0)) >= 0,
    get: (path, name) => {
      const length = Number(lgetxattr(path, name, value, value.length));
      return length < 0 ? undefined : value.toString("latin1", 0, length);
    },
    remove: (path, name) => void lremovexattr(path, name),
    setTimes: (path, { atimeNs, mtimeNs }) => {
      const parts = [atimeNs, mtimeNs].flatMap((time) => [time / second, time % second]);
      utimensat(currentDirectory, path, BigInt64Array.from(parts), notThroughLinks);
    },
  };
}
