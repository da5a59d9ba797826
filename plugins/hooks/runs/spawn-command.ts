/** One attempt: starts the command as its user, in its sandbox. */
import type {
  PluginContext,
  ProcessRequest,
  ProcessResult,
  SandboxService,
  Secret,
} from "reeve/plugin";
import type { CommandBlock } from "../blocks/blocks.js";
import type { CommandInput, HookCommand } from "../decide/command.js";
import { identityOf, type RunIdentity, userOptions } from "./identity.js";
import { writeRequestFiles } from "./request-files.js";

export type SpawnServices = Pick<PluginContext, "processes" | "directories" | "services">;

type Listening = Required<Pick<ProcessRequest, "onOutput" | "signal">>;

/** @throws if the command cannot be started, with the reason in one sentence */
export async function spawnCommand(
  { kind, label = "", values }: CommandBlock,
  command: HookCommand,
  run: string,
  world: SpawnServices,
  { onOutput, signal }: Listening,
): Promise<ProcessResult> {
  const { cwd, inherit_env, timeout, output_limit, run_as, run_in, nice } = values;
  const { no_new_privileges = run_as !== undefined } = values;
  const names = { [`REEVE_${kind.toUpperCase()}`]: label, REEVE_RUN: run };
  if (run_in) {
    if (command.files)
      throw new Error("A script in a sandbox is for /bin/sh: it cannot name another interpreter.");
    const env = { ...(inherit_env ? usualEnvironment() : {}), ...revealed(command.env), ...names };
    const { stdin } = command;
    const request = {
      ...{ sandbox: run_in.label, argv: command.argv, env, timeout, outputLimit: output_limit },
      ...(cwd === undefined ? {} : { cwd }),
      ...(stdin === undefined ? {} : { stdin: bytesOf(stdin) }),
      label: `${kind}.${label} ${run}`,
    };
    return sandbox(world).run(request, onOutput, signal);
  }
  const identity = run_as === undefined ? undefined : await identified(run_as);
  const passed = command.files
    ? await writeRequestFiles(command, world.directories, identity)
    : undefined;
  const { argv, env } = passed ?? command;
  try {
    return await world.processes.run({
      argv: [...prefix(identity, nice, no_new_privileges), ...argv],
      env: identity ? { ...account(identity), ...env, ...names } : { ...env, ...names },
      inheritEnv: inherit_env,
      envFrom: values.env_from,
      // The response is standard output alone, as the command writes it.
      ...(values.response?.values.from_command ? { output: "separate" } : { maskOutput: true }),
      timeout,
      outputLimit: output_limit,
      signal,
      onOutput,
      ...(cwd === undefined ? {} : { cwd }),
      ...(command.stdin === undefined ? {} : { stdin: command.stdin }),
    });
  } finally {
    await passed?.remove();
  }
}

function sandbox({ services }: SpawnServices): SandboxService {
  const service = services.use<SandboxService>("sandbox");
  if (service) return service;
  throw new Error("No plugin offers sandboxes at the moment; is the firewall plugin running?");
}

async function identified(written: string): Promise<RunIdentity> {
  const identity = await identityOf(written);
  if (typeof identity === "string") throw new Error(`${identity}.`);
  return identity;
}

/** The words before a command; none where it runs as the daemon does. */
const prefix = (
  identity: RunIdentity | undefined,
  nice: number | undefined,
  noNewPrivileges: boolean,
): readonly string[] => {
  const options = [
    ...(noNewPrivileges ? ["--no-new-privs"] : []),
    ...(identity ? userOptions(identity) : []),
  ];
  return [
    ...(nice === undefined ? [] : ["nice", "-n", String(nice)]),
    ...(options.length > 0 ? ["setpriv", ...options, "--"] : []),
  ];
};

const account = ({ user, home }: RunIdentity) => ({ HOME: home, USER: user, LOGNAME: user });

/** A sandbox gets no variable of the daemon that might be a secret. */
const usualEnvironment = (): Record<string, string> =>
  Object.fromEntries(
    ["PATH", "HOME", "LANG", "TZ"].flatMap((name) => {
      const value = process.env[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );

const bytesOf = (content: CommandInput): Uint8Array =>
  content instanceof Uint8Array ? content : Buffer.from(open(content));

const open = (value: string | Secret): string =>
  typeof value === "string" ? value : value.reveal();

const revealed = (env: HookCommand["env"]): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([name, value]) => [name, open(value)]));
