/** A `sandbox` block with every attribute parsed and checked against this machine. */
import { dirname, join } from "node:path";
import type { Directories, Secret } from "reeve/plugin";
import type { SandboxBlock } from "../blocks.js";
import type { EnterPlan } from "../engine/enter.js";
import { FirewallError } from "../errors.js";
import type { Dialler } from "../proxy/dial.js";
import { RequestLimiter } from "../proxy/request-limiter.js";
import { createDialler } from "../sandbox/dialler.js";
import { enterPlan, type SandboxSpec, sandboxInput } from "../sandbox/spec.js";
import { accountNamed, type Invoker, invoker, isMapped } from "../sandbox/user.js";
import { validate } from "../sandbox/validate.js";
import { attributeOf, issueMessage } from "./check.js";

export interface SandboxDefinition {
  readonly block: SandboxBlock;
  readonly name: string;
  readonly spec: SandboxSpec;
  /** The namespace that its commands need. */
  readonly plan: EnterPlan;
  readonly user: Invoker;
  readonly dialler: Dialler;
  /** Counts for all commands of the sandbox. */
  readonly limiter: RequestLimiter;
  /** Where commands start by default. */
  readonly directory: string;
  readonly allowWrite: readonly string[];
  /** Read-only for every command. */
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
}

/** Why an attribute of a block cannot be used. */
export class InvalidAttribute extends Error {
  readonly attribute: string;

  constructor(attribute: string, message: string) {
    super(message);
    this.attribute = attribute;
  }
}

/** @throws {InvalidAttribute} */
export function define(block: SandboxBlock, directories: Directories): SandboxDefinition {
  const { values, label: name = "" } = block;
  const { configuration } = directories;
  const spec = specOf(block);
  const { cwd, upstream_proxy: upstream } = values;
  const allowWrite = [...(cwd === undefined ? [] : [cwd]), ...(spec.allowWrite ?? [])];
  return {
    block,
    name,
    spec,
    plan: enterPlan(spec),
    user: userOf(values.user),
    dialler: diallerFor(spec, upstream === undefined ? undefined : reveal(upstream)),
    limiter: new RequestLimiter(spec.limits),
    directory: cwd ?? configuration,
    allowWrite,
    // A command that can change the configuration can leave the sandbox.
    readOnly: [configuration].filter((path) => !allowWrite.includes(path)),
    hidden: [ownRoot(directories.state), ownRoot(directories.cache), directories.temporary],
  };
}

/** What is wrong with the block, and whether that is about this machine; examines it only if `host`. */
export function* faultsOf(
  block: SandboxBlock,
  host: boolean,
): Generator<{ readonly fault: InvalidAttribute; readonly host: boolean }> {
  const { user, upstream_proxy: upstream } = block.values;
  const fault = (work: () => unknown): InvalidAttribute | undefined => {
    try {
      work();
      return undefined;
    } catch (thrown) {
      if (thrown instanceof InvalidAttribute) return thrown;
      throw thrown;
    }
  };
  const invalid = fault(() => specOf(block));
  if (invalid) yield { fault: invalid, host: false };
  if (!host || invalid) return;
  const unknown = fault(() => userOf(user));
  if (unknown) yield { fault: unknown, host: true };
  if (typeof upstream === "object" && !upstream.resolved) return;
  const unusable = fault(() => diallerFor(specOf(block), upstream && reveal(upstream)));
  if (unusable) yield { fault: unusable, host: typeof upstream !== "string" };
}

/** The block's environment with secrets revealed. Pass it to a command and keep no copy. */
export const environmentOf = ({ block }: SandboxDefinition): Record<string, string> =>
  Object.fromEntries(Object.entries(block.values.env).map(([key, value]) => [key, reveal(value)]));

/** The variables of the block whose values are secrets. */
export const secretVariablesOf = ({ block }: SandboxDefinition): string[] =>
  Object.entries(block.values.env).flatMap(([name, value]) =>
    typeof value === "string" ? [] : name,
  );

/** The values of the block's credentials by name. Pass them to a command and keep no copy. */
export const credentialsOf = ({ block }: SandboxDefinition): ReadonlyMap<string, string> =>
  new Map(
    block.values.credential.map(({ label = "", values: { value } }) => [label, reveal(value)]),
  );

function specOf({ values }: SandboxBlock): SandboxSpec {
  const { env: _, upstream_proxy: __, mount, credential, limit, ...rest } = values;
  const { spec, issues } = validate(
    sandboxInput({
      ...rest,
      mount: mount.map(({ label = "", values: { source, mode } }) => ({ at: label, source, mode })),
      credential: credential.map(({ label = "", values: { hosts, env, header } }) => {
        return { name: label, hosts, env, header };
      }),
      limit: limit.map(({ label = "", values: limits }) => ({ domain: label, ...limits })),
    }),
  );
  if (spec) return spec;
  const [first] = issues;
  throw new InvalidAttribute(
    first ? attributeOf[first.field] : "",
    first ? issueMessage(first) : "",
  );
}

function diallerFor(spec: SandboxSpec, upstreamProxy: string | undefined): Dialler {
  try {
    return createDialler(spec, upstreamProxy);
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    const what = upstreamProxy === undefined ? "The daemon's proxy variable" : "`upstream_proxy`";
    throw new InvalidAttribute("upstream_proxy", `${what} ${thrown.message}.`);
  }
}

function userOf(name: string | undefined): Invoker {
  // The user behind sudo is not the user of the daemon's commands.
  if (name === undefined) return invoker({ HOME: process.env.HOME });
  const account = accountNamed(name);
  if (!account) throw new InvalidAttribute("user", `There is no user \`${name}\` on this machine.`);
  if (account.uid === process.getuid?.()) return { ...account, switchesUser: false };
  if (process.getuid?.() !== 0) {
    throw new InvalidAttribute(
      "user",
      `Only a daemon that runs as root can run commands as \`${name}\`.`,
    );
  }
  if (!isMapped(account.uid))
    throw new InvalidAttribute("user", `This user namespace does not have the user \`${name}\`.`);
  return account;
}

/** The directory of all plugins' data, which commands must not see: `<root>/plugins/<id>` belongs to one plugin. */
function ownRoot(directory: string): string {
  const root = dirname(dirname(directory));
  return join(root, "plugins") === dirname(directory) ? root : directory;
}

const reveal = (value: string | Secret): string =>
  typeof value === "string" ? value : value.reveal();
