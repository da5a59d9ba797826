/** The user that a command runs as: this process's own, or the user behind sudo. */
import { readFileSync, realpathSync } from "node:fs";
import { homedir, userInfo } from "node:os";
import { FirewallError } from "../errors.js";

export interface Invoker {
  readonly uid: number;
  readonly gid: number;
  readonly home: string;
  /** The account's home directory if `home` is another one. */
  readonly otherHomes: readonly string[];
  /** This process is root and the command must run as this ordinary user. */
  readonly switchesUser: boolean;
}

/**
 * Reads `SUDO_UID` only as root: anyone else could set it.
 * @throws {FirewallError} if this user namespace does not have the user behind sudo
 */
export function invoker(environment: NodeJS.ProcessEnv = process.env): Invoker {
  const uid = process.getuid?.() ?? 0;
  const gid = process.getgid?.() ?? 0;
  const behind = Number(environment.SUDO_UID);
  if (uid === 0 && Number.isInteger(behind) && behind > 0) {
    if (!isMapped(behind))
      throw new FirewallError(
        "user_not_mapped",
        `This user namespace does not have the user behind sudo (SUDO_UID is ${behind}). Unset SUDO_UID to run the command as root of the namespace`,
      );
    const account = accounts().find(({ uid }) => uid === behind);
    const home = real(account?.home ?? environment.HOME ?? "/");
    return {
      uid: behind,
      gid: account?.gid ?? (Number(environment.SUDO_GID) || behind),
      home,
      otherHomes: [],
      switchesUser: true,
    };
  }
  const home = real(environment.HOME || homedir());
  const own = ownHome() ?? home;
  return {
    uid,
    gid,
    home,
    otherHomes: own === home || own === "/" ? [] : [own],
    switchesUser: false,
  };
}

/** The account of that name, for a process that is root. */
export function accountNamed(userName: string): Invoker | undefined {
  const account = accounts().find(({ name }) => name === userName);
  return account && { ...account, home: real(account.home), otherHomes: [], switchesUser: true };
}

/** By lines of first, outer first and count: user_namespaces(7). */
export function isMapped(uid: number): boolean {
  const ranges = readFileSync("/proc/self/uid_map", "utf8")
    .trim()
    .split("\n")
    .map((line) => line.trim().split(/\s+/).map(Number));
  return ranges.some(([first = 0, , count = 0]) => uid >= first && uid - first < count);
}

function ownHome(): string | undefined {
  try {
    return real(userInfo().homedir);
  } catch {
    return undefined;
  }
}

/** What is mounted at a link is not at its target. */
function real(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path;
  }
}

/** The accounts with a home directory. */
function accounts() {
  return readFileSync("/etc/passwd", "utf8")
    .split("\n")
    .flatMap((line) => {
      const [name = "", , uid, gid, , home] = line.split(":");
      return home ? [{ name, uid: Number(uid), gid: Number(gid), home }] : [];
    });
}
