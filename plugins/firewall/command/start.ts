/** From settings to a command in its sandbox: its files, its environment, its view. */
import { accessSync, constants, statSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join, normalize } from "node:path";
import { listeningHostSockets } from "../engine/host-sockets.js";
import type { SandboxCommand } from "../engine/sandbox.js";
import { FirewallError } from "../errors.js";
import { hostAlias } from "./domains.js";
import { hostAddress, proxyPort } from "./enter.js";
import { sandboxEnvironment } from "./environment.js";
import { hostsFile, resolverFile } from "./sandbox-files.js";
import type { Settings } from "./settings.js";
import type { Trust } from "./trust.js";
import type { Invoker } from "./user.js";

export interface CommandRequest {
  readonly settings: Settings;
  /** Program and arguments. */
  readonly command: readonly string[];
  readonly workDirectory: string;
  readonly user: Invoker;
  readonly environment: Readonly<Record<string, string>>;
  readonly trust: Trust | undefined;
  /** Absolute. */
  readonly workspace: string;
  /** @see FileView.readOnly */
  readonly readOnly?: readonly string[];
  /** More directories to hide. */
  readonly hidden?: readonly string[];
}

/** Writes the files that the command will see as its own into the work directory. */
export function sandboxCommand({
  settings,
  command,
  workDirectory,
  user,
  environment,
  trust,
  workspace,
  readOnly = [],
  hidden = [],
}: CommandRequest): SandboxCommand {
  const { options, policy, dns } = settings;
  const own = (name: string, text: string): string => {
    const path = join(workDirectory, name);
    writeFileSync(path, text, { mode: 0o644 });
    return path;
  };
  const alias = settings.hostPorts ? { name: hostAlias, address: hostAddress } : undefined;
  return {
    command,
    workDirectory,
    terminal: options.tty === true,
    ...(user.switchesUser ? { user } : {}),
    view: {
      uid: user.uid,
      gid: user.gid,
      home: user.home,
      otherHomes: user.otherHomes,
      workspace,
      readOnly,
      volumes: settings.volumes,
      ...(settings.allowWrite ? { allowWrite: settings.allowWrite } : {}),
      files: new Map([
        ["/etc/hosts", own("hosts", hostsFile(policy, hostname(), alias))],
        ["/etc/resolv.conf", own("resolv.conf", resolverFile(dns.servers))],
        ...(trust?.files ?? []),
      ]),
      emptyFile: own("empty", ""),
      hidden: [workDirectory, ...hidden],
      hostSockets: listeningHostSockets(),
      workingDirectory: options.containerWorkdir ?? user.home,
      hostname: hostname(),
      environment,
    },
  };
}

/**
 * What is run for a command: one word is a shell line. A shell runs several words as they are, and knows the usual ends:
 * 127 for a command that is not there, 126 for one that is none.
 */
export function wordsOf(command: readonly string[]): string[] {
  const [only] = command;
  if (command.length === 1 && only !== undefined) return ["bash", "-c", only];
  return ["bash", "-c", '"$@"', "bash", ...command];
}

/** The command's environment, checked before anything starts. @throws {FirewallError} `invalid_environment` */
export function environmentFor(
  settings: Settings,
  user: Invoker,
  host: NodeJS.ProcessEnv = process.env,
): Record<string, string> {
  return sandboxEnvironment({
    options: settings.options,
    host,
    home: user.home,
    proxy: `http://127.0.0.1:${proxyPort}`,
    hostAccess: settings.hostPorts !== undefined,
  });
}

/** @throws {FirewallError} `no_working_directory`: a directory that is not there inside is an error before the start. */
export function refuseBadDirectories({ options, volumes }: Settings, user: Invoker): void {
  const directory = normalize(options.containerWorkdir ?? user.home);
  const mounted = volumes.some(
    ({ sandbox }) => directory === sandbox || directory.startsWith(`${sandbox}/`),
  );
  const problem =
    mounted || /^\/(tmp|host)(\/|$)/.test(directory) ? undefined : problemWith(directory);
  if (problem === undefined) return;
  const option =
    options.containerWorkdir === undefined ? "The home directory" : "--container-workdir";
  throw new FirewallError("no_working_directory", `${option} ${problem}: ${directory}`);
}

function problemWith(directory: string): string | undefined {
  if (!directory.startsWith("/")) return "is not an absolute path";
  const found = statSync(directory, { throwIfNoEntry: false });
  if (!found) return "does not exist";
  if (!found.isDirectory()) return "is not a directory";
  try {
    accessSync(directory, constants.X_OK);
    return undefined;
  } catch {
    return "cannot be entered by the current user";
  }
}
