/** Starts a command in an open namespace with bubblewrap. */
import { chmodSync, chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ChangeRecord } from "./changes.js";
import type { ExecOrder } from "./enter.js";
import type { FileSystemView } from "./file-system-view.js";
import { helper, helperPath } from "./helpers.js";
import { fallbackLines, type LayeredHomes, overlayLines } from "./home/overlay.js";
import { mountArguments } from "./mounts.js";
import type { Namespace, SandboxExit } from "./namespace.js";
import { quoteWord } from "./namespace.js";
import { read } from "./processes.js";
import { seccompFilter } from "./seccomp.js";
import type { SocketsAtStart } from "./socket-watch.js";
import { copyingScript, type StandardFiles } from "./standard-files.js";

export interface SandboxCommand {
  /** Run unchanged. */
  readonly command: readonly string[];
  readonly view: SandboxView;
  /** Private directory for the files that bubblewrap reads at its start. */
  readonly workDirectory: string;
  readonly homes: LayeredHomes;
  readonly changes: ChangeRecord;
  readonly sockets: SocketsAtStart;
  /** On a pseudo-terminal of its own. */
  readonly terminal: boolean;
  /** The ordinary user to switch to, if the caller is root for one. */
  readonly user?: { readonly uid: number; readonly gid: number };
}

export interface Sandbox {
  /** The root of the sandbox's processes, in the host's numbering. */
  readonly pid: number;
  readonly exited: Promise<SandboxExit>;
  /** Signals every process of the command; false if there is none. */
  signal(signal: NodeJS.Signals): boolean;
  /** Ends everything inside at once. */
  kill(): void;
}

/** Options, with them the environment, come from a file that only bubblewrap reads: no command line shows a secret. */
const start = '"$AWF_BWRAP" --args 8 --seccomp 9 -- "$@" 8<"$AWF_ARGUMENTS" 9<"$AWF_FILTER"';

/** Why homes are not overlays, as `mount` says it; empty if they are. */
const overlayProblem = "overlay-problem";

/** Mounts the homes as the namespace's root, and becomes the command's user. */
function scriptFor({ homes, view, user, terminal }: SandboxCommand, files: StandardFiles): string {
  const inside = `cd / && ${copyingScript(files, terminal, start)}`;
  const mounts = overlayLines(homes, quoteWord).join(" && ");
  const readOnly = fallbackLines(homes, view.fallback, quoteWord).join(" && ");
  const asUser = user && [
    ...[helper("setpriv"), `--reuid=${user.uid}`, `--regid=${user.gid}`, "--clear-groups", "--"],
    ...[helper("sh"), "-c", inside, "sh"],
  ];
  return [
    ...(homes.homes.length > 0 ? [`(${mounts}) 2>"$AWF_PROBLEM" || (${readOnly})`] : []),
    asUser ? `exec ${asUser.map(quoteWord).join(" ")} "$@"` : inside,
  ].join("\n");
}

/** After the end. @see FileSystemView.fallback */
export function withoutOverlay({ workDirectory }: SandboxCommand): string | undefined {
  try {
    return readFileSync(join(workDirectory, overlayProblem), "utf8").trim() || undefined;
  } catch {
    return undefined;
  }
}

let filter: Buffer | undefined;

export function startSandbox(namespace: Namespace, request: SandboxCommand): Sandbox {
  const argumentsFile = join(request.workDirectory, "arguments");
  const filterFile = join(request.workDirectory, "seccomp.bpf");
  const options = sandboxArguments(request);
  writeFileSync(argumentsFile, options.map((option) => `${option}\0`).join(""), { mode: 0o600 });
  filter ??= seccompFilter();
  writeFileSync(filterFile, filter, { mode: 0o600 });
  if (request.user) {
    const { uid, gid } = request.user;
    for (const path of [argumentsFile, filterFile]) chownSync(path, uid, gid);
    // The user may pass through, not replace what root uses and removes.
    chownSync(request.workDirectory, 0, gid);
    chmodSync(request.workDirectory, 0o710);
  }
  const order: ExecOrder = {
    script: scriptFor(request, namespace.files),
    arguments: request.terminal ? onTerminal(request.command) : request.command,
    environment: {
      PATH: helperPath,
      AWF_BWRAP: helper("bwrap"),
      AWF_ARGUMENTS: argumentsFile,
      AWF_FILTER: filterFile,
      AWF_PROBLEM: join(request.workDirectory, overlayProblem),
    },
    ...(request.user ? { user: request.user } : {}),
  };
  namespace.exec(order);
  return {
    pid: namespace.pid,
    exited: namespace.exited,
    signal: (signal) => signalCommand(namespace.pid, signal, request.terminal),
    kill: () => namespace.process.kill("SIGKILL"),
  };
}

/** util-linux's `script` opens the terminal inside and returns the command's exit code. */
function onTerminal(command: readonly string[]): string[] {
  return [
    "script",
    "--quiet",
    "--return",
    "--flush",
    "--command",
    command.map(quoteWord).join(" "),
    "/dev/null",
  ];
}

/**
 * Signals the command directly: the namespace's init and bubblewrap do not forward signals. Its process group gets the
 * signal, like from a terminal, unless `script` forwards it. False also before the command starts.
 */
function signalCommand(root: number, signal: NodeJS.Signals, terminal: boolean): boolean {
  const commands = childProcesses(root).flatMap(commandsBelow);
  const targets = terminal ? commands : commands.map((pid) => -(processGroup(pid) ?? -pid));
  for (const pid of new Set(targets)) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
  return commands.length > 0;
}

/** The children of bubblewrap's init, which is below bubblewrap; that may be below the shell that copies the outputs. */
function commandsBelow(pid: number): number[] {
  return childProcesses(pid).flatMap((child) =>
    isFirstOfNamespace(child) ? childProcesses(child) : commandsBelow(child),
  );
}

function isFirstOfNamespace(pid: number): boolean {
  return /^NSpid:.*\t1$/m.test(read(`/proc/${pid}/status`));
}

/** Undefined if it is awf's own, as before the command has its session. */
function processGroup(pid: number): number | undefined {
  const group = groupOf(pid);
  return group === undefined || group === groupOf(process.pid) ? undefined : group;
}

/** The third field after the name, which may contain anything. */
function groupOf(pid: number): number | undefined {
  try {
    const text = readFileSync(`/proc/${pid}/stat`, "utf8");
    const group = Number(text.slice(text.lastIndexOf(")") + 2).split(" ")[2]);
    return group > 1 ? group : undefined;
  } catch {
    return undefined;
  }
}

/** The children of a process. */
export function childProcesses(pid: number): number[] {
  try {
    return readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .split(" ")
      .filter((text) => text !== "")
      .map(Number);
  } catch {
    return [];
  }
}

interface SandboxView extends FileSystemView {
  readonly uid: number;
  readonly gid: number;
  /** Exists inside. */
  readonly workingDirectory: string;
  readonly environment: Readonly<Record<string, string>>;
  readonly hostname: string;
}

/** Options only; the command follows after `--`. */
function sandboxArguments({ view, terminal }: SandboxCommand): string[] {
  return [
    "--die-with-parent",
    // A signal to the command's process group must not reach the caller. `script` makes a session itself.
    ...(terminal ? [] : ["--new-session"]),
    "--unshare-user",
    "--uid",
    String(view.uid),
    "--gid",
    String(view.gid),
    "--unshare-pid",
    "--unshare-ipc",
    "--unshare-uts",
    "--unshare-cgroup-try",
    "--hostname",
    view.hostname,
    "--cap-drop",
    "ALL",
    "--clearenv",
    ...Object.entries(view.environment).flatMap(([name, value]) => ["--setenv", name, value]),
    ...mountArguments(view),
    "--chdir",
    view.workingDirectory,
  ];
}
