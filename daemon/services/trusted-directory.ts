/** Whether a directory is safe to use: only root and the daemon's user can replace it. */
import {
  existsSync,
  lstatSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  type Stats,
} from "node:fs";
import { isAbsolute, join, parse, resolve } from "node:path";

/** Links on one path, as in the kernel. */
const MOST_LINKS = 40;
/** Owners from outside a user namespace look like this one, which is a user of its own elsewhere. */
const OUTSIDE = 65_534;
const IDENTITY = /^\s*0\s+0\s+4294967295\s*$/;
const STICKY = 0o1000;

const ownUser = (): number => process.geteuid?.() ?? 0;
const ownGroup = (): number => process.getegid?.() ?? 0;

function trustedUsers(): readonly number[] {
  let map = "";
  try {
    map = readFileSync("/proc/self/uid_map", "utf8");
  } catch {
    // Not Linux.
  }
  return [0, ownUser(), ...(map === "" || IDENTITY.test(map) ? [] : [OUTSIDE])];
}

/**
 * The reason why the directory cannot be trusted; `undefined` if it can. It belongs to the daemon's user. Every directory and
 * link on the way to it belongs to root or that user, and other users may not rename what is in it. Checked from the root
 * downwards, so that nothing can change behind the check.
 */
export function untrusted(directory: string): string | undefined {
  const { path, reason } = walk(resolve(directory));
  if (reason !== undefined) return reason;
  const { uid, mode } = lstatSync(path);
  if (uid !== ownUser()) return `it belongs to ${nameOf(uid)}, not to the daemon's user`;
  if ((mode & STICKY) !== 0) return "it is shared by all users";
  return undefined;
}

/** A symbolic link in a state directory, or in that of its plugins: what the daemon writes would go elsewhere. */
export function linkIn(state: string): string | undefined {
  for (const directory of [state, join(state, "plugins")]) {
    const entries = existsSync(directory) ? readdirSync(directory, { withFileTypes: true }) : [];
    const link = entries.find((entry) => entry.isSymbolicLink());
    if (link) return join(directory, link.name);
  }
  return undefined;
}

interface Walked {
  /** Without links. */
  readonly path: string;
  readonly reason?: string;
}

/** The reason why another user could replace the directory or a part of the way to it. */
export const replaceable = (directory: string): string | undefined =>
  walk(resolve(directory)).reason;

function walk(directory: string): Walked {
  let path = parse(directory).root;
  const rest = directory.split("/").filter((name) => name !== "");
  for (let links = 0; rest.length > 0; ) {
    const next = join(path, rest.shift() ?? "");
    const found = lstatSync(next);
    const reason = unsafe(next, found);
    if (reason !== undefined) return { path: next, reason };
    if (!found.isSymbolicLink()) {
      path = next;
      continue;
    }
    links += 1;
    if (links > MOST_LINKS) return { path: next, reason: "its symbolic links run in a circle" };
    const target = readlinkSync(next);
    rest.unshift(...target.split("/").filter((name) => name !== ""));
    if (isAbsolute(target)) path = parse(target).root;
  }
  return { path };
}

function unsafe(path: string, found: Stats): string | undefined {
  const { uid, gid, mode } = found;
  if (!trustedUsers().includes(uid)) return `${path} belongs to ${nameOf(uid)}`;
  if (found.isSymbolicLink()) return undefined;
  if (!found.isDirectory()) return `${path} is not a directory`;
  if ((mode & STICKY) !== 0) return undefined;
  if ((mode & 0o002) !== 0) return `every user can write to ${path}`;
  // On many systems each user has a group of their own, which may write in their home.
  const isShared = (mode & 0o020) !== 0 && gid !== 0 && gid !== ownGroup();
  return isShared ? `group ${gid} can write to ${path}` : undefined;
}

const nameOf = (uid: number): string => `user ${uid}`;
