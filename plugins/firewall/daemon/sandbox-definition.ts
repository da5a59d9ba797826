/** A `sandbox` block understood: what a command in it may do, checked as far as this machine can tell. */
import { dirname, join } from "node:path";
import type { Directories, Secret } from "reeve/plugin";
import type { SandboxBlock } from "../blocks.js";
import { hostAddress, proxyPort } from "../command/enter.js";
import { optionsFrom } from "../command/merge-options.js";
import { diallerFor } from "../command/resources.js";
import { readSettings, type Settings } from "../command/settings.js";
import { accountNamed, type Invoker, invoker } from "../command/user.js";
import type { EnterPlan } from "../engine/enter.js";
import { FirewallError } from "../errors.js";
import type { Dialler } from "../proxy/dial.js";
import { embeddedResolver } from "../proxy/embedded-resolver.js";

export interface SandboxDefinition {
  readonly block: SandboxBlock;
  readonly name: string;
  readonly settings: Settings;
  /** What a namespace for it has to be like. */
  readonly plan: EnterPlan;
  readonly user: Invoker;
  readonly dialler: Dialler;
  /** Where commands start, unless told otherwise, and where they may write. */
  readonly directory: string;
  readonly allowWrite: readonly string[];
  /** What no command may change or see, whatever it may write otherwise. */
  readonly readOnly: readonly string[];
  readonly hidden: readonly string[];
}

/** Which attribute of a block cannot be as it is, and why. */
export class InvalidAttribute extends Error {
  readonly attribute: string;

  constructor(attribute: string, message: string) {
    super(message);
    this.attribute = attribute;
  }
}

/** @throws {Unfit} */
export function define(block: SandboxBlock, directories: Directories): SandboxDefinition {
  const { values, label: name = "" } = block;
  const { configuration } = directories;
  const settings = settingsOf(block);
  const { cwd } = values;
  const allowWrite = [...(cwd === undefined ? [] : [cwd]), ...(settings.allowWrite ?? [])];
  return {
    block,
    name,
    settings,
    plan: {
      proxyPort,
      dnsServers: [...new Set([...settings.dns.servers, embeddedResolver])],
      hostPorts: settings.hostPorts ?? [],
      hostAddress,
    },
    user: userOf(values.user),
    dialler: diallerFor(settings),
    directory: cwd ?? configuration,
    allowWrite,
    // Who can change the configuration is not fenced in.
    readOnly: [configuration].filter((path) => !allowWrite.includes(path)),
    hidden: [ownRoot(directories.state), ownRoot(directories.cache), directories.temporary],
  };
}

/** The environment that the block gives, revealed. Hand it to a command and keep no copy. */
export const environmentOf = ({ block }: SandboxDefinition): Record<string, string> =>
  Object.fromEntries(Object.entries(block.values.env).map(([key, value]) => [key, textOf(value)]));

function settingsOf({ values }: SandboxBlock): Settings {
  const { env: _, upstream_proxy: upstream, mount, ...rest } = values;
  const shape = {
    ...rest,
    upstream_proxy: upstream === undefined ? undefined : textOf(upstream),
    mount: mount.map(({ label = "", values: { source, mode } }) => ({ at: label, source, mode })),
  };
  try {
    return readSettings(optionsFrom(shape));
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    throw new InvalidAttribute(attributeOf[thrown.code] ?? "", sentenceOf(thrown.message));
  }
}

const attributeOf: Readonly<Record<string, string>> = {
  invalid_domain: "allow",
  invalid_url_pattern: "allow_urls",
  invalid_dns_servers: "dns",
  invalid_host_port: "host_access",
  invalid_mount: "mount",
  no_such_path: "allow_write",
  invalid_upstream_proxy: "upstream_proxy",
};

/** Of two lines the second says why. */
function sentenceOf(message: string): string {
  const [first = "", second] = message.replace("--allow-write path", "The path").split("\n");
  const text = second?.replace(/^Reason: /, "") ?? first;
  return /[.!?]$/.test(text) ? text : `${text}.`;
}

function userOf(name: string | undefined): Invoker {
  // Who started the daemon by sudo is not who commands run as.
  if (name === undefined) return invoker({ HOME: process.env.HOME });
  const account = accountNamed(name);
  if (!account) throw new InvalidAttribute("user", `There is no user \`${name}\` on this machine.`);
  if (account.uid === process.getuid?.()) return { ...account, switchesUser: false };
  if (process.getuid?.() !== 0) {
    throw new InvalidAttribute("user", `Only a daemon that runs as root can become \`${name}\`.`);
  }
  return account;
}

/** A plugin's directory is `<root>/plugins/<id>`; the daemon keeps more in the root than a command should see. */
function ownRoot(directory: string): string {
  const root = dirname(dirname(directory));
  return join(root, "plugins") === dirname(directory) ? root : directory;
}

const textOf = (value: string | Secret): string =>
  typeof value === "string" ? value : value.reveal();
