/** File systems behind a network or a program, which may answer late or never. */
import { readFile } from "node:fs/promises";

const DISTANT =
  /^(?:nfs4?|cifs|smb3?|smbfs|fuse(?:blk|ctl)?(?:\..*)?|9p|virtiofs|ceph|afs|lustre|gfs2?|ocfs2|beegfs|autofs)$/;

/** Where they are mounted; nothing is known where the system does not tell. */
export type NetworkMounts = readonly string[] | undefined;

export async function networkMounts(): Promise<NetworkMounts> {
  const table = await readFile("/proc/self/mountinfo", "utf8").catch(() => undefined);
  return table === undefined ? undefined : distantIn(table);
}

/** @see proc_pid_mountinfo(5) */
export const distantIn = (table: string): readonly string[] =>
  table.split("\n").flatMap((line) => {
    const [before = "", after = ""] = line.split(" - ");
    const [, , , , at] = before.split(" ");
    const [type = ""] = after.split(" ");
    return at !== undefined && DISTANT.test(type) ? [unescaped(at)] : [];
  });

/** Blanks and the like are written in octal digits. */
const unescaped = (path: string): string =>
  path.replace(/\\([0-7]{3})/g, (_, digits: string) =>
    String.fromCharCode(Number.parseInt(digits, 8)),
  );
