/** What an error of the operating system means, in words that follow a colon. */
const words: Readonly<Record<string, string>> = {
  EACCES: "permission denied",
  EPERM: "operation not permitted",
  EROFS: "the file system is read-only",
  ENOSPC: "no space left on the disk",
  EDQUOT: "the disk quota is used up",
  ENOENT: "not found",
  ENOTDIR: "a part of the path is not a directory",
  EEXIST: "something else is in its place",
  EISDIR: "it is a directory",
  ELOOP: "its symbolic links run in a circle",
  ENAMETOOLONG: "the name is too long",
  EMFILE: "too many open files",
  ENFILE: "too many open files on this machine",
  EAGAIN: "too many processes",
  ENOMEM: "not enough memory",
  E2BIG: "its arguments and environment are too long",
  ENOEXEC: "it is not a program this machine can run",
  ETXTBSY: "it is being written to",
};

export function osErrorReason(thrown: unknown): string {
  const { code, message } = thrown as { code?: unknown; message?: unknown };
  if (typeof code === "string" && words[code] !== undefined) return words[code];
  return typeof message === "string" ? message : String(thrown);
}
