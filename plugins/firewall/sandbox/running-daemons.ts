/** The daemons of Reeve that run: what a command must not change or reach of them. Each writes its file: daemon/main/daemon-register.ts. */
import { lstatSync, readdirSync, readFileSync, type Stats } from "node:fs";
import { dirname, join } from "node:path";
import { isDirectory, isWithin } from "../engine/paths.js";
import { bornAt, type ProcessId, processId, stateOf } from "../engine/process-id.js";
import { isShared } from "../engine/system-directories.js";
import { systemCode } from "../errors.js";
import { withTarget } from "./denied.js";
import type { Invoker } from "./user.js";

export interface RunningDaemon {
  readonly pid: number;
  /** Files and directories that decide what it runs; of links both ends. */
  readonly configuration: readonly string[];
  /** Its state directory. */
  readonly state: string;
  /** Its control socket. */
  readonly control: string;
}

interface Entry extends Pick<RunningDaemon, "state" | "control"> {
  readonly format: 1;
  readonly owner: ProcessId;
  /** The configuration's root file. */
  readonly root: string;
  readonly files: readonly string[];
}

const ofRoot = "/run/reeve-daemons";
/** Bytes. */
const largestEntry = 1024 * 1024;

/** Where the daemons of the user register, whether or not one does. */
function registerDirectories(
  { home, otherHomes }: Pick<Invoker, "home" | "otherHomes">,
  environment: Readonly<Record<string, string | undefined>> = process.env,
): string[] {
  const { XDG_STATE_HOME: chosen } = environment;
  const states = [home, ...otherHomes].map((path) => join(path, ".local/state"));
  const all = chosen?.startsWith("/") ? [chosen, ...states] : states;
  return [...new Set(all.map((state) => join(state, "reeve/daemons")))];
}

/** Those of the user, of this process's user and of root. No other user's word counts. */
export function runningDaemons(user: Invoker): RunningDaemon[] {
  const owners = [0, process.geteuid?.() ?? 0, user.uid];
  const isTrusted = ({ uid, mode }: Stats) => owners.includes(uid) && (mode & 0o022) === 0;
  const homes = [user.home, ...user.otherHomes];
  return [ofRoot, ...registerDirectories(user)]
    .flatMap((directory) => entriesOf(directory, isTrusted))
    .flatMap((entry) => (isRunning(entry.owner) ? runningDaemon(entry, homes) : []));
}

function entriesOf(directory: string, isTrusted: (file: Stats) => boolean): Entry[] {
  try {
    const found = lstatSync(directory, { throwIfNoEntry: false });
    if (!found?.isDirectory() || !isTrusted(found)) return [];
    const names = readdirSync(directory).filter((name) => name.endsWith(".json"));
    return names.flatMap((name) => entryIn(join(directory, name), isTrusted) ?? []);
  } catch {
    // The directory is closed to this user.
    return [];
  }
}

function entryIn(path: string, isTrusted: (file: Stats) => boolean): Entry | undefined {
  try {
    const found = lstatSync(path);
    const isSound = found.isFile() && found.nlink === 1 && found.size <= largestEntry;
    if (!isSound || !isTrusted(found)) return undefined;
    const entry = JSON.parse(readFileSync(path, "utf8")) as Entry;
    const { root, state, control, files } = entry;
    const isValid = entry.format === 1 && [root, state, control, ...files].every(isAbsolute);
    return isValid ? entry : undefined;
  } catch {
    // The daemon has just ended.
    return undefined;
  }
}

const isAbsolute = (path: unknown): boolean => typeof path === "string" && path.startsWith("/");

/** One of another container counts; one that this user may not see does as well. */
function isRunning(owner: ProcessId): boolean {
  if (stateOf(owner) !== "ended") return true;
  if (bornAt(owner.pid) !== "" || owner.boot !== processId().boot) return false;
  try {
    process.kill(owner.pid, 0);
    return false;
  } catch (thrown) {
    return systemCode(thrown) === "EPERM";
  }
}

function runningDaemon(
  { owner, root, files, state, control }: Entry,
  homes: readonly string[],
): RunningDaemon {
  const directory = dirname(root);
  // With it everything of the user would be read-only.
  const isWide = (path: string) => isShared(path) || homes.some((home) => isWithin(home, path));
  const own = withTarget(directory).some(isWide) ? root : directory;
  const all = [own, root, ...files].flatMap(withTarget).filter((path) => !isWide(path));
  return { pid: owner.pid, configuration: [...new Set(all)], state, control };
}

/** What the daemons mean for one command. Paths are absolute. */
export interface DaemonProtection {
  /** Read-only wherever the host's files are, and not taken over from a home. */
  readonly kept: readonly string[];
  /** Not taken over either. */
  readonly held: readonly string[];
  /** Existing directories to hide. */
  readonly hidden: readonly string[];
  /** Sockets to hide. */
  readonly sockets: readonly string[];
}

interface ProtectedCommand {
  readonly user: Invoker;
  /** Directories that the command needs. */
  readonly needed: readonly string[];
  /** What is writable by name. */
  readonly allowWrite: readonly string[] | undefined;
}

export function protectionFrom(
  daemons: readonly RunningDaemon[],
  { user, needed, allowWrite = [] }: ProtectedCommand,
): DaemonProtection {
  const all = daemons.flatMap(({ configuration }) => configuration);
  // A command that runs in a daemon's state directory works on a part of it.
  const isNeeded = (path: string) =>
    [user.home, ...needed].some((directory) => isWithin(directory, path));
  const states = [...daemons.map(({ state }) => state), ...registerDirectories(user)];
  const targets = [...new Set(states.flatMap(withTarget))];
  return {
    kept: all.filter((path) => !isNamed(path, allowWrite, all)),
    held: targets,
    hidden: targets.filter((path) => isReachable(path) && !isNeeded(path)),
    sockets: daemons.flatMap(({ control }) => withTarget(control)),
  };
}

/** What this user cannot reach need not be hidden. */
function isReachable(directory: string): boolean {
  try {
    return isDirectory(directory);
  } catch {
    return false;
  }
}

/** The daemon whose configuration a path is in, unless the path is writable by name. */
export const daemonAt = (
  daemons: readonly RunningDaemon[],
  path: string,
  allowWrite: readonly string[] = [],
): RunningDaemon | undefined =>
  daemons.find(({ configuration }) => {
    const isInside = configuration.some((each) => isWithin(path, each));
    return isInside && !isNamed(path, allowWrite, configuration);
  });

/** By itself, or by a directory of the configuration: a larger directory opens no configuration. */
const isNamed = (
  path: string,
  allowWrite: readonly string[],
  configuration: readonly string[],
): boolean =>
  allowWrite.some(
    (open) => isWithin(path, open) && configuration.some((each) => isWithin(open, each)),
  );
