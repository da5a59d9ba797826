/** What a sandboxed command is and sees: its program, its files, its starting directory. */
import { accessSync, constants, existsSync, statSync, writeFileSync } from "node:fs";
import { getCompileCacheDir } from "node:module";
import { hostname } from "node:os";
import { dirname, join, relative } from "node:path";
import { unheld } from "../engine/denied-paths.js";
import type { Volume } from "../engine/file-system-view.js";
import {
  type HomeLayout,
  type HomeRequest,
  type LaidOutHomes,
  layOutHomes,
} from "../engine/home/layout.js";
import { relocatedSecrets, relocatedSettings, relocationsIn } from "../engine/home/relocations.js";
import { boundNames, identityOf, inUse, socketsIn, socketsNamed } from "../engine/host-sockets.js";
import { hostMountPoints } from "../engine/mount-points.js";
import { isDirectory, isWithin } from "../engine/paths.js";
import { nearestDirectories, protectedIn, recordRepositories } from "../engine/repositories.js";
import type { SandboxCommand } from "../engine/sandbox.js";
import { isSystemDirectory } from "../engine/system-directories.js";
import type { UnfinishedRun } from "../engine/unfinished-runs.js";
import { deniedPaths, refuseNeeded } from "./denied.js";
import { hostsFile, resolverFile } from "./network-files.js";
import { programDirectories } from "./program-directories.js";
import { daemonAt, protectionFrom, type RunningDaemon } from "./running-daemons.js";
import type { SandboxSpec } from "./spec.js";
import type { Trust } from "./trust.js";
import type { Invoker } from "./user.js";
import { workspacesOf } from "./workspaces.js";

export interface CommandRequest {
  readonly spec: SandboxSpec;
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly workDirectory: string;
  /** Whether the engine mounts an overlay whose upper layer is inside the lower one. */
  readonly nests: boolean;
  /** Keeps the command's changes until they are taken over; absent where the user has no directory for state. */
  readonly unfinished: UnfinishedRun | undefined;
  /** Where the command starts. */
  readonly directory: string;
  readonly terminal: boolean;
  readonly user: Invoker;
  readonly environment: Readonly<Record<string, string>>;
  readonly trust: Trust | undefined;
  /** Where the run starts; absolute. */
  readonly workspace: string;
  /** @see FileSystemView.readOnly */
  readonly readOnly?: readonly string[];
  /** More files that stay read-only where the command can write. */
  readonly kept?: readonly string[];
  /** More directories to hide. */
  readonly hidden?: readonly string[];
  /** Their configuration stays as it is; their state and control sockets are hidden. */
  readonly daemons: readonly RunningDaemon[];
}

/** Writes the command's own `/etc/hosts` and `/etc/resolv.conf` into the work directory. */
export async function sandboxCommand({
  spec,
  command,
  workDirectory,
  nests,
  unfinished,
  directory,
  terminal,
  user,
  environment,
  trust,
  workspace,
  readOnly = [],
  kept = [],
  hidden = [],
  daemons,
}: CommandRequest): Promise<SandboxCommand> {
  const { policy, dns, hostPorts, allowSockets, denyRead } = spec;
  refuseNeeded(denyRead, [user.home, workspace, directory]);
  const needed = [workspace, directory];
  const others = protectionFrom(daemons, { user, needed, allowWrite: spec.allowWrite });
  const isOfDaemon = (path: string) => daemonAt(daemons, path, spec.allowWrite) !== undefined;
  const shown = workspacesOf(workspace, user, spec, readOnly);
  const workspaces = [...shown, ...mountedBelow(user.home)].filter(
    (path) => !isSystemDirectory(path),
  );
  const ownHomes = [user.home, ...user.otherHomes];
  const {
    allowWrite,
    volumes: wanted,
    inHome,
    mounted: sealed,
    unheld: open,
  } = deniedPaths(spec, workspaces, ownHomes);
  const volumes = wanted.map((each) =>
    isOfDaemon(each.host) ? { ...each, mode: "ro" as const } : each,
  );
  const trusted = [...programDirectories(), ...inHome];
  const daemonFiles = [...others.kept, ...workspaces.filter(isOfDaemon)];
  // A user that root switches to cannot enter root's directories.
  const copies =
    user.switchesUser || !nests ? workDirectory : (unfinished?.directory ?? workDirectory);
  // Variables that only the command gets put nothing of the user's elsewhere.
  const relocated = relocationsIn(process.env, user.home);
  const secrets = relocatedSecrets(relocated);
  const compiled = compiledCode();
  const layered = homesOf(user, copies, {
    allowWrite,
    homePaths: nests ? spec.homePaths : [],
    held: [
      ...trusted,
      ...kept,
      ...readOnly,
      ...sealed,
      ...compiled,
      ...others.kept,
      ...others.held,
    ],
    hidden: [
      ...[...denyRead, ...hidden, ...secrets, ...others.hidden],
      ...others.sockets.filter(existsSync),
      workDirectory,
    ],
    relocated,
    workDirectory,
  });
  const inHomes = (path: string) => ownHomes.some((home) => isWithin(path, home));
  const { homes } = layered;
  const opened = allowWrite ?? workspaces;
  const roots = writableRoots(
    opened.filter((path) => !isOfDaemon(path)),
    homes,
    volumes,
  );
  const { repositories, visited } = recordRepositories(roots, opened);
  const mounted = [
    ...volumes.filter(({ mode }) => mode === "ro").map(({ host }) => host),
    ...opened.filter(isOfDaemon),
  ];
  const directories = [...visited, ...nearestDirectories(mounted)];
  const names = boundNames();
  const { exact, possible } = socketsNamed(names, () => directories);
  const files = [...new Set(directories.flatMap(socketsIn))];
  const identities = files.map((path) => [path, identityOf(path) ?? ""] as const);
  const isOther = (path: string) => !exact.includes(path) && !possible.includes(path);
  const found = await inUse(files.filter(isOther));
  const changes = { homes, repositories, unheld: unheld(open), isReviewed: false };
  unfinished?.save(changes);
  const own = (name: string, text: string): string => {
    const path = join(workDirectory, name);
    writeFileSync(path, text, { mode: 0o644 });
    return path;
  };
  return {
    command,
    workDirectory,
    terminal,
    homes: layered,
    changes,
    sockets: {
      names,
      files: new Map(identities),
      roots: [...roots, ...mounted],
      since: repositories.since,
    },
    ...(user.switchesUser ? { user } : {}),
    view: {
      uid: user.uid,
      gid: user.gid,
      home: user.home,
      otherHomes: user.otherHomes,
      homes,
      workspaces,
      readOnly: [...readOnly, ...trusted.filter((path) => !allowWrite?.includes(path))],
      kept: [
        ...protectedIn(repositories),
        ...[...kept, ...relocatedSettings(relocated), ...compiled].filter(
          (path) => !opened.includes(path),
        ),
        ...sealed,
        ...daemonFiles,
      ],
      denyRead: [...denyRead, ...secrets.filter((path) => !inHomes(path) && existsSync(path))],
      volumes,
      ...(allowWrite && { allowWrite }),
      files: new Map([
        ["/etc/hosts", own("hosts", hostsFile(policy, hostPorts !== undefined))],
        ["/etc/resolv.conf", own("resolv.conf", resolverFile(dns.servers))],
        ...(trust?.files ?? []),
      ]),
      emptyFile: own("empty", ""),
      fallback: join(workDirectory, "fallback"),
      hidden: [workDirectory, ...hidden, ...others.hidden],
      hostSockets: [...exact, ...possible, ...found, ...others.sockets].filter(
        (path) => !allowSockets.includes(path),
      ),
      allowedSockets: allowSockets.filter((path) => existsSync(path)),
      workingDirectory: directory,
      hostname: hostname(),
      environment,
    },
  };
}

/** The file systems in a home, which its overlay does not show. */
const mountedBelow = (home: string): string[] =>
  hostMountPoints().filter((path) => path.startsWith(`${home}/`) && !path.startsWith(`${home}/.`));

/** Code of this process that later ones run as it is. */
function compiledCode(): string[] {
  const directory = getCompileCacheDir();
  return directory === undefined ? [] : [dirname(directory)];
}

interface HomesRequest extends Pick<HomeRequest, "held" | "hidden" | "relocated"> {
  readonly workDirectory: string;
  readonly allowWrite: readonly string[] | undefined;
  /** @see SandboxSpec.homePaths */
  readonly homePaths: readonly string[];
}

function homesOf(
  { home, otherHomes, uid, gid }: Invoker,
  copies: string,
  { allowWrite, homePaths, workDirectory, ...protection }: HomesRequest,
): LaidOutHomes {
  const writable = !allowWrite || allowWrite.some((path) => isWithin(home, path));
  const inHome = (allowWrite ?? []).filter((path) => isWithin(path, home) && path !== home);
  // Their directories are the host's own, and a mounted file could not be replaced.
  const files = inHome.filter((path) => !isDirectory(path)).map((path) => relative(home, path));
  const existing = homePaths.filter((path) => isDirectory(join(home, path)));
  const requests = [home, ...otherHomes].map((path, index): HomeRequest => {
    const isOwn = path === home;
    return {
      ...{ ...protection, home: path, name: `home-${index}`, uid, gid },
      writable: isOwn && writable,
      allowed: isOwn && writable ? files : [],
      opened: isOwn && !writable ? existing : [],
    };
  });
  return layOutHomes(requests, copies, join(workDirectory, "hiding.tar"));
}

/** The writable directories of the host that the command sees, apart from private ones. */
function writableRoots(
  opened: readonly string[],
  homes: readonly HomeLayout[],
  volumes: readonly Volume[],
): string[] {
  const isPrivate = (path: string) =>
    homes.some(({ home, allowed }) => path === home || allowed.includes(relative(home, path)));
  const mounted = volumes.filter(({ mode }) => mode === "rw").map(({ host }) => host);
  return [...new Set([...opened.filter((path) => !isPrivate(path)), ...mounted])];
}

/**
 * One word is a shell line; several are a program and its arguments. The shell gives the usual exit codes: 127 for a
 * program that does not exist, 126 for a file that cannot be run.
 */
export function shellCommand(words: readonly string[]): string[] {
  const [only] = words;
  if (words.length === 1 && only !== undefined) return ["bash", "-c", only];
  return ["bash", "-c", '"$@"', "bash", ...words];
}

/** Why a command cannot start in a directory, as the end of a sentence. */
export function directoryProblem(path: string): string | undefined {
  if (!path.startsWith("/")) return "is not an absolute path";
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found) return "does not exist";
  if (!found.isDirectory()) return "is not a directory";
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return "cannot be entered by the current user";
  }
}
