import { errorMessage } from "../../daemon/errors.js";

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
