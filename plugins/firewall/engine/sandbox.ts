/** Starts a command in an open namespace with bubblewrap. */
import { chownSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { ExecOrder } from "./enter.js";
import { helper, helperPath } from "./helpers.js";
import { type FileSystemView, mountArguments } from "./mounts.js";
import type { Namespace, SandboxExit } from "./namespace.js";
import { quoteWord } from "./namespace.js";
import { seccompFilter } from "./seccomp.js";

export interface SandboxCommand {
  /** Run unchanged. */
  readonly command: readonly string[];
  readonly view: SandboxView;
  /** Private directory for the files that bubblewrap reads at its start. */
  readonly workDirectory: string;
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

/**
 * Options, with them the environment, come from a file that only bubblewrap reads, so that no command line shows a
 * secret.
 */
const script =
  'cd / && exec "$AWF_BWRAP" --args 8 --seccomp 9 -- "$@" 8<"$AWF_ARGUMENTS" 9<"$AWF_FILTER"';

let filter: Buffer | undefined;

export function startSandbox(namespace: Namespace, request: SandboxCommand): Sandbox {
  const argumentsFile = join(request.workDirectory, "arguments");
  const filterFile = join(request.workDirectory, "seccomp.bpf");
  const options = sandboxArguments(request.view);
  writeFileSync(argumentsFile, options.map((option) => `${option}\0`).join(""), { mode: 0o600 });
  filter ??= seccompFilter();
  writeFileSync(filterFile, filter, { mode: 0o600 });
  if (request.user) {
    for (const path of [argumentsFile, filterFile, request.workDirectory]) {
      chownSync(path, request.user.uid, request.user.gid);
    }
  }
  const order: ExecOrder = {
    script,
    arguments: request.terminal ? onTerminal(request.command) : request.command,
    environment: {
      PATH: helperPath,
      AWF_BWRAP: helper("bwrap"),
      AWF_ARGUMENTS: argumentsFile,
      AWF_FILTER: filterFile,
    },
    ...(request.user ? { user: request.user } : {}),
  };
  namespace.exec(order);
  return {
    pid: namespace.pid,
    exited: namespace.exited,
    signal: (signal) => signalCommand(namespace.pid, signal),
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
 * Signals the command's processes directly: the namespace's init and bubblewrap do not forward signals. False also
 * before the command starts.
 */
function signalCommand(root: number, signal: NodeJS.Signals): boolean {
  const commands = childProcesses(root).flatMap(childProcesses).flatMap(childProcesses);
  for (const pid of commands) {
    try {
      process.kill(pid, signal);
    } catch {
      // It has ended.
    }
  }
  return commands.length > 0;
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
function sandboxArguments(view: SandboxView): string[] {
  return [
    "--die-with-parent",
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
