/** From an order to a command that is about to run: its namespace, its proxy, its view of the machine. */

import { getServers } from "node:dns";
import { accessSync, constants, statSync } from "node:fs";
import { join } from "node:path";
import { applyLimits, hostAccessOf } from "../command/resources.js";
import { environmentFor, sandboxCommand, wordsOf } from "../command/start.js";
import type { Trust } from "../command/trust.js";
import { Attribution } from "../engine/attribution.js";
import { startupFiles } from "../engine/credentials.js";
import { type CommandPipes, startedDescriptor } from "../engine/idle-namespace.js";
import { isSystemDirectory } from "../engine/mounts.js";
import { type Sandbox, startSandbox } from "../engine/sandbox.js";
import { FirewallError } from "../errors.js";
import type { AccessRecord } from "../log/entry.js";
import type { Policy } from "../policy/policy.js";
import { serveProxy } from "../proxy/serve.js";
import type { ExecRequest } from "./exec-request.js";
import type { IdleSandbox } from "./pool.js";
import { environmentOf, type SandboxDefinition } from "./sandbox-definition.js";

export interface LaunchedCommand {
  readonly sandbox: Sandbox;
  readonly pipes: CommandPipes;
  /** Lets go of everything, when the sandbox has ended. */
  leave(): Promise<void>;
}

export interface LaunchSinks {
  /** The policy of the moment, asked for each connection. */
  readonly policy: () => Policy;
  readonly record: (record: AccessRecord) => void;
}

/** Of the daemon's own environment only what says nothing secret. */
const harmless = /^(?:PATH|TZ|LANG|LC_[A-Z]+)$/;
/** What a caller cannot change: without these a command would look for ways out that are not there. */
const fixed = /^(?:HTTP|HTTPS|ALL|NO)_PROXY$/i;

/** @throws {FirewallError} when it cannot be started. */
export async function launch(
  definition: SandboxDefinition,
  order: ExecRequest,
  ready: IdleSandbox,
  { policy, record }: LaunchSinks,
): Promise<LaunchedCommand> {
  const { settings, user, dialler } = definition;
  const { namespace, directory } = ready;
  await using undo = new AsyncDisposableStack();
  const cwd = order.cwd ?? definition.directory;
  refuseDirectory(cwd);
  const trust = settings.options.sslBump ? await trustFor(directory) : undefined;
  const limits = applyLimits(
    settings,
    `reeve-${directory.slice(directory.lastIndexOf("/") + 1)}`,
    namespace,
  );
  undo.use(limits);
  const attribution = new Attribution(namespace.pid);
  const { servers, chosen } = settings.dns;
  const proxy = serveProxy(
    namespace.sockets,
    {
      policy,
      dialler,
      record,
      requester: (port, transport) => attribution.ownerOf(port, transport),
      ...hostAccessOf(settings),
      ...(trust ? { interception: trust.interception } : {}),
    },
    { servers, fallBack: chosen ? [] : getServers() },
  );
  undo.defer(() => proxy.close());
  const pipes = namespace.connect({ merged: order.merged });
  const writable = writableFor(definition, cwd);
  const view = sandboxCommand({
    settings: {
      ...settings,
      allowWrite: writable,
      options: { ...settings.options, containerWorkdir: cwd, tty: order.terminal === true },
    },
    command: announced(order),
    workDirectory: directory,
    user,
    environment: environment(definition, order, trust),
    trust,
    workspace: cwd,
    readOnly: [...definition.readOnly, ...traps(writable, user.home)],
    hidden: definition.hidden,
  });
  const sandbox = startSandbox(namespace, view);
  const rest = undo.move();
  return { sandbox, pipes, leave: () => rest.disposeAsync() };
}

async function trustFor(directory: string): Promise<Trust> {
  const { makeTrust } = await import("../command/trust.js");
  return makeTrust(directory, process.env.JAVA_HOME);
}

/** The command says that it begins, on a descriptor that it does not keep. */
function announced({ argv, shell }: ExecRequest): string[] {
  const [bash = "", option = "", script = "", ...rest] = shell
    ? wordsOf(argv)
    : ["bash", "-c", '"$@"', "bash", ...argv];
  return [
    bash,
    option,
    `printf . >&${startedDescriptor}; exec ${startedDescriptor}>&-\n${script}`,
    ...rest,
  ];
}

function environment(
  definition: SandboxDefinition,
  { env }: ExecRequest,
  trust: Trust | undefined,
): Record<string, string> {
  const { settings, user } = definition;
  const host = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => harmless.test(name)),
  );
  const base = environmentFor(settings, user, host);
  const forced = Object.entries(base).filter(([name]) => fixed.test(name));
  return {
    ...base,
    ...trust?.environment,
    ...environmentOf(definition),
    ...env,
    ...Object.fromEntries(forced),
    HOME: user.home,
  };
}

/** The configuration's directory is where commands start when nobody says otherwise; that alone makes it no workplace. */
function writableFor({ allowWrite, readOnly }: SandboxDefinition, cwd: string): readonly string[] {
  const own = isSystemDirectory(cwd) || readOnly.includes(cwd) ? [] : [cwd];
  return [...new Set([...own, ...allowWrite])];
}

/** In places that can be written: what would be run later, by somebody who is not fenced in. */
function traps(writable: readonly string[], home: string): string[] {
  return writable.flatMap((path) => [
    join(path, ".git", "hooks"),
    ...(path === home ? startupFiles.map((name) => join(home, name)) : []),
  ]);
}

function refuseDirectory(path: string): void {
  const problem = directoryProblem(path);
  if (problem === undefined) return;
  throw new FirewallError("no_working_directory", `The directory to run in ${problem}: ${path}`);
}

function directoryProblem(path: string): string | undefined {
  if (!path.startsWith("/")) return "is not an absolute path";
  const found = statSync(path, { throwIfNoEntry: false });
  if (!found?.isDirectory()) return found ? "is no directory" : "does not exist";
  try {
    accessSync(path, constants.X_OK);
    return undefined;
  } catch {
    return "cannot be entered";
  }
}
