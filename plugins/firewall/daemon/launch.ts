/** Launches a command of the daemon in a namespace of the pool. */
import { type CommandPipes, startedDescriptor } from "../engine/idle-namespace.js";
import type { Sandbox } from "../engine/sandbox.js";
import { isSystemDirectory } from "../engine/system-directories.js";
import type { UnfinishedRuns } from "../engine/unfinished-runs.js";
import { FirewallError } from "../errors.js";
import { sandboxEnvironment } from "../sandbox/environment.js";
import { type LaunchCommit, type LaunchSinks, launch } from "../sandbox/launch.js";
import { nativeEngine } from "../sandbox/native-engine.js";
import { daemonAt, type RunningDaemon, runningDaemons } from "../sandbox/running-daemons.js";
import { directoryProblem, shellCommand } from "../sandbox/view.js";
import { workspacesOf } from "../sandbox/workspaces.js";
import type { ExecRequest } from "./exec-request.js";
import type { IdleSandbox } from "./namespace-pool.js";
import {
  credentialsOf,
  environmentOf,
  type SandboxDefinition,
  secretVariablesOf,
} from "./sandbox-definition.js";

export interface LaunchedCommand {
  readonly sandbox: Sandbox;
  readonly pipes: CommandPipes;
  /** Releases everything, once the sandbox has ended. */
  release(): Promise<void>;
}

export interface CommandSinks extends Omit<LaunchSinks, "prepared"> {
  /** Called when its changes are taken over. */
  readonly committed: (commit: LaunchCommit) => void;
}

/** The only variables of the daemon that commands get: none can hold a secret. */
const harmless = /^(?:PATH|TZ|LANG|LC_[A-Z]+)$/;
/** Callers cannot change these: without them a command would try to connect directly, which fails. */
const fixed = /^(?:HTTP|HTTPS|ALL|NO)_PROXY$/i;

/** @throws {FirewallError} if the command cannot be started */
export async function launchCommand(
  definition: SandboxDefinition,
  request: ExecRequest,
  { namespace, directory: workDirectory }: IdleSandbox,
  sinks: CommandSinks,
  signal: AbortSignal,
  runs: UnfinishedRuns | undefined,
): Promise<LaunchedCommand> {
  const { user, dialler, hidden } = definition;
  const directory = request.cwd ?? definition.directory;
  const problem = directoryProblem(directory);
  if (problem !== undefined) {
    throw new FirewallError(
      "no_working_directory",
      `The directory to run in ${problem}: ${directory}`,
    );
  }
  // The definition protects what its own daemon reads.
  const daemons = runningDaemons(user).filter(({ state }) => !hidden.includes(state));
  const allowWrite = writableFor(definition, directory, daemons);
  const spec = { ...definition.spec, allowWrite };
  await using undo = new AsyncDisposableStack();
  // Ends last: until the engine has ended, the command may change files.
  const unfinished = undo.use(runs?.begin(request.label));
  const engine = undo.use(nativeEngine(spec, Promise.resolve({ namespace }), "reeve-"));
  let pipes: CommandPipes | undefined;
  const { sandbox, close, commit } = await launch(
    spec,
    {
      command: announced(request),
      directory,
      terminal: request.terminal === true,
      workspace: directory,
      environment: (trusted) => environment(definition, request, trusted),
      values: credentialsOf(definition),
      limiter: definition.limiter,
      secretVariables: secretVariablesOf(definition),
      readOnly: definition.readOnly,
      ...{ workDirectory, unfinished, user, dialler, hidden, daemons, signal },
    },
    engine,
    {
      ...sinks,
      prepared: () => {
        pipes = namespace.connect({ merged: request.merged });
        undo.adopt(pipes, (each) => each.close());
      },
    },
  );
  undo.defer(async () => sinks.committed(await commit()));
  undo.defer(close);
  const rest = undo.move();
  return { sandbox, pipes: pipes as CommandPipes, release: () => rest.disposeAsync() };
}

/** The command first reports its start on a descriptor that it then closes. */
function announced({ argv, shell }: ExecRequest): string[] {
  const [bash = "", option = "", script = "", ...rest] = shell
    ? shellCommand(argv)
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
  trusted: Readonly<Record<string, string>>,
): Record<string, string> {
  const { spec, user } = definition;
  const host = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => harmless.test(name)),
  );
  const hostAccess = spec.hostPorts !== undefined;
  const base = sandboxEnvironment({ host, home: user.home, hostAccess });
  const forced = Object.entries(base).filter(([name]) => fixed.test(name));
  return {
    ...base,
    ...trusted,
    ...environmentOf(definition),
    ...env,
    ...Object.fromEntries(forced),
    HOME: user.home,
  };
}

/** The configuration's directory is the default start, which does not make it writable. */
function writableFor(
  { allowWrite, readOnly, user, spec }: SandboxDefinition,
  cwd: string,
  daemons: readonly RunningDaemon[],
): readonly string[] {
  const isOpen = !isSystemDirectory(cwd) && !readOnly.includes(cwd);
  const own = isOpen ? workspacesOf(cwd, user, spec, readOnly) : [];
  const left = own.filter((path) => daemonAt(daemons, path, allowWrite) === undefined);
  return [...new Set([...left, ...allowWrite])];
}
