/** What a sandboxed command is and sees: its program, its files, its starting directory. */
import { accessSync, constants, existsSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { unheld } from "../engine/denied-paths.js";
import type { Volume } from "../engine/file-system-view.js";
import { type HomeLayout, layOutHome } from "../engine/home.js";
import { boundNames, identityOf, inUse, socketsIn, socketsNamed } from "../engine/host-sockets.js";
import { isDirectory, isWithin } from "../engine/paths.js";
import { nearestDirectories, protectedIn, recordRepositories } from "../engine/repositories.js";
import type { SandboxCommand } from "../engine/sandbox.js";
import { isSystemDirectory } from "../engine/system-directories.js";
import type { UnfinishedRun } from "../engine/unfinished-runs.js";
import type { Policy } from "../policy/policy.js";
import { deniedPaths, refuseNeeded } from "./denied.js";
import { programDirectories } from "./program-directories.js";
import { hostAddress, hostAlias, type SandboxSpec } from "./spec.js";
import type { Trust } from "./trust.js";
import type { Invoker } from "./user.js";
import { workspacesOf } from "./workspaces.js";

export interface CommandRequest {
  readonly spec: SandboxSpec;
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly workDirectory: string;
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
}

/** Writes the command's own `/etc/hosts` and `/etc/resolv.conf` into the work directory. */
export async function sandboxCommand({
  spec,
  command,
  workDirectory,
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
}: CommandRequest): Promise<SandboxCommand> {
  const { policy, dns, hostPorts, allowSockets, denyRead } = spec;
  refuseNeeded(denyRead, [user.home, workspace, directory]);
  const shown = workspacesOf(workspace, user, spec, readOnly);
  const workspaces = shown.filter((path) => !isSystemDirectory(path));
  const ownHomes = [user.home, ...user.otherHomes];
  const {
    allowWrite,
    volumes,
    inHome,
    mounted: sealed,
    unheld: open,
  } = deniedPaths(withHomePaths(spec, user.home), workspaces, ownHomes);
  const trusted = [...programDirectories(), ...inHome];
  // A user that root switches to cannot enter root's directories.
  const copies = user.switchesUser ? workDirectory : (unfinished?.directory ?? workDirectory);
  const homes = homesOf(user, copies, { ...(allowWrite && { allowWrite }), allowSockets }, trusted);
  const opened = allowWrite ?? workspaces;
  const roots = writableRoots(opened, homes, volumes);
  const { repositories, visited } = recordRepositories(roots, opened);
  const mounted = volumes.filter(({ mode }) => mode === "ro").map(({ host }) => host);
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
        ...kept.filter((path) => !opened.includes(path)),
        ...sealed,
      ],
      denyRead,
      volumes,
      ...(allowWrite && { allowWrite }),
      files: new Map([
        ["/etc/hosts", own("hosts", hostsFile(policy, hostPorts !== undefined))],
        ["/etc/resolv.conf", own("resolv.conf", resolverFile(dns.servers))],
        ...(trust?.files ?? []),
      ]),
      emptyFile: own("empty", ""),
      hidden: [workDirectory, ...hidden],
      hostSockets: [...exact, ...possible, ...found].filter((path) => !allowSockets.includes(path)),
      allowedSockets: allowSockets.filter((path) => existsSync(path)),
      workingDirectory: directory,
      hostname: hostname(),
      environment,
    },
  };
}

/** Only existing directories can be mounted. */
function withHomePaths(spec: SandboxSpec, home: string): SandboxSpec {
  if (!spec.allowWrite) return spec;
  const added = spec.homePaths.map((path) => join(home, path)).filter(isDirectory);
  return { ...spec, allowWrite: [...spec.allowWrite, ...added] };
}

function homesOf(
  { home, otherHomes, uid, gid }: Invoker,
  copies: string,
  { allowWrite, allowSockets }: Pick<SandboxSpec, "allowWrite" | "allowSockets">,
  trusted: readonly string[],
): HomeLayout[] {
  const opened = (allowWrite ?? [home]).flatMap((path) => {
    if (isWithin(home, path)) return "";
    return isWithin(path, home) ? path.slice(home.length + 1) : [];
  });
  return [home, ...otherHomes].flatMap((path, index) => {
    const root = join(copies, `home-${index}`);
    const request = { home: path, root, writable: path === home ? opened : [], uid, gid };
    return layOutHome({ ...request, sockets: allowSockets, alsoProtected: trusted }) ?? [];
  });
}

/** The writable directories of the host that the command sees, apart from private ones. */
function writableRoots(
  opened: readonly string[],
  homes: readonly HomeLayout[],
  volumes: readonly Volume[],
): string[] {
  const mounts = homes.flatMap((layout) => layout.mounts.filter(({ writable }) => writable));
  const inHomes = mounts.filter(({ from, at }) => from === at).map(({ at }) => at);
  const isPrivate = (path: string) =>
    homes.some(({ home, own, held }) =>
      own.some((name) => path === join(home, name) && !held.includes(name)),
    );
  const mounted = volumes.filter(({ mode }) => mode === "rw").map(({ host }) => host);
  return [...new Set([...opened.filter((path) => !isPrivate(path)), ...inHomes, ...mounted])];
}

/** Itself, the host's entries for allowed names, and the host's alias. */
function hostsFile(policy: Policy, hostAccess: boolean): string {
  const lines = [
    "127.0.0.1 localhost",
    "::1 localhost ip6-localhost ip6-loopback",
    `127.0.0.1 ${hostname()}`,
  ];
  for (const line of hostLines()) {
    const [address, ...names] = line.split(/\s+/);
    const allowed = names.filter((name) => policy.decideLookup(name).allowed);
    if (allowed.length > 0) lines.push(`${address} ${allowed.join(" ")}`);
  }
  if (hostAccess) lines.push(`${hostAddress} ${hostAlias}`);
  return `${lines.join("\n")}\n`;
}

function hostLines(): string[] {
  try {
    return readFileSync("/etc/hosts", "utf8")
      .split("\n")
      .map((line) => line.replace(/#.*$/, "").trim())
      .filter((line) => line !== "");
  } catch {
    return [];
  }
}

/** C libraries read at most three servers. */
function resolverFile(servers: readonly string[]): string {
  const lines = servers.slice(0, 3).map((server) => `nameserver ${server}\n`);
  return `${lines.join("")}options ndots:0 timeout:3\n`;
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
