/** `reeve service install`: this program and a configuration as a systemd service. */

import { spawnSync } from "node:child_process";
import { existsSync, mkdirSync, realpathSync, writeFileSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join } from "node:path";
import { isSea } from "node:sea";
import { defineCommand, flag, text } from "../../plugin-api/command.js";
import { Exit, Failure } from "../../plugin-api/exit.js";
import type { Output } from "../../plugin-api/output.js";
import { reasonOf } from "../../project/files.js";
import { fileArgument } from "../../project/load.js";
import { rootOf } from "../up.js";
import { accountOf, createAccount, grantRead, type ServiceAccount } from "./account.js";
import {
  output as outputOf,
  type ServiceManager,
  serviceManager,
  unitName,
  unitState,
  userOption,
} from "./manager.js";
import { defaultAccount, hiddenPath, unitText } from "./unit.js";

const systemDirectory = "/etc/reeve";

export const command = defineCommand({
  description:
    "Writes a unit with the absolute paths of this Node and this Reeve, checks the configuration as the service's user, and enables and starts " +
    "the service. The default configuration is /etc/reeve/main.reeve, with --user main.reeve below ~/.config/reeve. " +
    "The system service runs as `reeve`, an account that is created if missing. Repeat the command after an upgrade of Node.",
  arguments: [fileArgument],
  options: {
    user: userOption,
    runAs: text("USER", "run the system service as this existing user"),
    dryRun: flag("print the unit and change nothing"),
  },
  examples: [
    { command: "reeve service install", does: "runs /etc/reeve/main.reeve as a system service" },
    {
      command: "reeve service install --user ~/reeve",
      does: "runs ~/reeve/main.reeve as a service of the present user",
    },
    { command: "reeve service install --dry-run", does: "prints the unit" },
  ],
  exits: {
    [Exit.noInput]: "there is no configuration",
    [Exit.unavailable]: "root or systemd is missing, or the service does not start",
    [Exit.cannotCreate]: "the unit cannot be written",
    [Exit.configuration]: "the configuration is invalid",
  },
  async run({ arguments: [file], options: { user, runAs, dryRun }, output }) {
    const manager = serviceManager(user);
    const root = file === undefined ? join(defaultDirectory(user), "main.reeve") : rootOf(file);
    const script = isSea() ? [] : [realpathSync(process.argv[1] ?? "")];
    const program = [process.execPath, ...script];
    const account = user ? undefined : (runAs ?? defaultAccount);
    const unit = unitText({ program, root, account });
    if (dryRun) {
      output.out.write(unit);
      return Exit.ok;
    }
    requireRoot(manager, program, file);
    refusePackaged(manager);
    if (!existsSync(root)) {
      throw new Failure(Exit.noInput, `there is no ${root}`, {
        help: `Write a first configuration: \`reeve init ${dirname(root)}\`.`,
      });
    }
    const found =
      account === undefined ? undefined : prepareAccount(account, program, root, output);
    check(found, program, root, output);
    write(manager, unit);
    output.out.line(manager.unit);
    start(manager, output);
    return Exit.ok;
  },
});

function defaultDirectory(user: boolean): string {
  const { HOME = homedir(), XDG_CONFIG_HOME = join(HOME, ".config") } = process.env;
  return user ? join(XDG_CONFIG_HOME, "reeve") : systemDirectory;
}

function requireRoot(
  { isUser }: ServiceManager,
  program: readonly string[],
  file: string | undefined,
): void {
  if (isUser || process.getuid?.() === 0) return;
  const again = ["sudo", ...program, "service", "install", ...(file === undefined ? [] : [file])];
  throw new Failure(Exit.unavailable, "only root can install a system service", {
    help: `Run \`${again.join(" ")}\`, or add \`--user\` for a service of your own.`,
  });
}

/** A unit that a package of the distribution owns is in another directory. */
function refusePackaged(manager: ServiceManager): void {
  const path = unitState(manager)?.path ?? "";
  if (path === "" || path === manager.unit) return;
  throw new Failure(Exit.unavailable, `${unitName} is installed already: ${path}`, {
    help: "It belongs to a package. Change it with `systemctl edit reeve`, or remove the package first.",
  });
}

/** The account of a system service, created if it is the default one; it can see this program and this configuration. */
function prepareAccount(
  name: string,
  program: readonly string[],
  root: string,
  output: Output,
): ServiceAccount {
  const hidden = hiddenPath([...program, root]);
  if (hidden !== undefined) {
    throw new Failure(Exit.unavailable, `a system service does not see ${hidden}`, {
      help: "Its unit hides home and temporary directories. Install Node, Reeve and the configuration elsewhere, or add `--user`.",
    });
  }
  let account = accountOf(name);
  if (account === undefined) {
    if (name !== defaultAccount) throw new Failure(Exit.noInput, `there is no user \`${name}\``);
    account = createAccount(name);
    output.err.line(`Created the user ${name}.`);
  }
  if (dirname(root) === systemDirectory) grantRead(systemDirectory, account.gid);
  return account;
}

/** As the service's user: it must reach this program and every file of the configuration. */
function check(
  account: ServiceAccount | undefined,
  [node = "", ...script]: readonly string[],
  root: string,
  output: Output,
): void {
  const { uid, gid, name = "the service" } = account ?? {};
  const { error, status, stdout, stderr } = spawnSync(node, [...script, "check", root], {
    ...(account && { uid, gid, cwd: "/" }),
    env: {
      PATH: process.env.PATH,
      HOME: account ? "/nonexistent" : process.env.HOME,
      // Where this command's own compiled code is kept.
      NODE_COMPILE_CACHE: process.env.NODE_COMPILE_CACHE,
    },
    encoding: "utf8",
  });
  if (error !== undefined) {
    throw new Failure(Exit.unavailable, `${name} cannot run ${node}: ${reasonOf(error)}`);
  }
  // A failing `test` block and what the machine lacks at present do not keep a daemon from starting.
  if (status === Exit.ok || status === Exit.findings || status === Exit.temporary) return;
  output.err.write(`${stdout}${stderr}`);
  const directory = dirname(root);
  const isUnreadable = account !== undefined && /permission denied/i.test(`${stdout}${stderr}`);
  throw new Failure(
    status === Exit.configuration ? Exit.configuration : Exit.noInput,
    `the service is not installed: ${name} cannot use ${root}`,
    isUnreadable
      ? {
          help: `Let ${name} read it: \`chgrp -R ${gid} ${directory}\` and \`chmod -R g+rX ${directory}\`.`,
        }
      : {},
  );
}

function write({ unit }: ServiceManager, text: string): void {
  try {
    mkdirSync(dirname(unit), { recursive: true });
    writeFileSync(unit, text, { mode: 0o644 });
  } catch (thrown) {
    throw new Failure(Exit.cannotCreate, `cannot write ${unit}: ${reasonOf(thrown)}`);
  }
}

function start(manager: ServiceManager, output: Output): void {
  manager.systemctl("daemon-reload");
  manager.systemctl("enable", unitName);
  try {
    // Also replaces a daemon of an earlier installation.
    manager.systemctl("restart", unitName);
  } catch (thrown) {
    const journal = ["journalctl", ...(manager.isUser ? ["--user"] : []), "-u", unitName];
    throw new Failure(Exit.unavailable, `${unitName} is installed, but does not start`, {
      help: `Its log has the reason: \`${journal.join(" ")}\`.`,
      cause: thrown,
    });
  }
  const state = unitState(manager);
  output.err.line(`${unitName} is ${state?.active ?? "unknown"}: ${state?.status ?? ""}`);
  if (manager.isUser && !lingers()) {
    output.err.line("It stops when you log out; `loginctl enable-linger` keeps it running.");
  }
}

function lingers(): boolean {
  try {
    return outputOf(["loginctl", "show-user", "-P", "Linger"]).trim() === "yes";
  } catch {
    return false;
  }
}
