/** `awf [options] -- <command>`: reads and checks the options, then runs the command. */
import { tmpdir } from "node:os";
import { isatty as isTerminal } from "node:tty";
import type { PendingNamespace } from "../engine/namespace.js";
import { isWithin } from "../engine/paths.js";
import { FirewallError, systemCode } from "../errors.js";
import { atMostOneEdit } from "../policy/near-words.js";
import type { DomainPattern } from "../policy/pattern.js";
import { unknownTopLevel } from "../policy/public-suffix.js";
import { enter } from "./enter.js";
import { Messages } from "./messages.js";
import { readCommandLine, type WrittenOptions } from "./options.js";
import {
  type AwfSettings,
  type ReadSandboxFile,
  readSettings,
  type SandboxFile,
  type SandboxFiles,
} from "./settings.js";

/** Resolves with the exit code: the command's, or 1 with an error on stderr. */
export async function runCommand(
  argv: readonly string[],
  version: string,
  started: PendingNamespace | undefined,
  files: SandboxFiles,
): Promise<number> {
  const read = readCommandLine(argv, version);
  if ("exitCode" in read) {
    (read.exitCode === 0 ? process.stdout : process.stderr).write(`${read.text}\n`);
    return read.exitCode;
  }
  const { options, command, ignored } = read;
  if (command.length === 0 && options.explain === undefined) {
    process.stderr.write(
      "Error: No command specified. Use -- to separate command from options.\nExample: awf --allow-domains github.com -- curl https://api.github.com\n",
    );
    return 1;
  }
  try {
    const settings = readSettings(options, await sandboxOf(options, files.read));
    for (const option of ignored)
      new Messages(settings.logLevel, { json: options.json === true }).warn(`No effect: ${option}`);
    return await runSettings(settings, command, started, suggestCommand(argv), files);
  } catch (thrown) {
    const json = options.json === true;
    if (!(thrown instanceof FirewallError)) {
      if (systemCode(thrown) === undefined) throw thrown;
      const problem = systemProblem(thrown as NodeJS.ErrnoException, options.workDir);
      new Messages("error", { json }).error(problem);
      return 1;
    }
    if (thrown.code === "invalid_log_level") process.stderr.write(`${thrown.message}\n`);
    else new Messages("error", { json }).error(thrown.message);
    return 1;
  }
}

/** A full disk, a directory that does not exist. @param chosen the value of `--work-dir` */
function systemProblem(
  { syscall, code, path, message }: NodeJS.ErrnoException,
  chosen: string | undefined,
): string {
  if (syscall === "uv_cwd")
    return "The current directory does not exist any more. Change to another one and run awf again";
  // A failed write has no path.
  const directories = [...(chosen === undefined ? [] : [chosen]), tmpdir()];
  const directory = directories.find((root) =>
    path === undefined ? code === "ENOSPC" : isWithin(path, root),
  );
  if (directory === undefined) return `Cannot run the command: ${message}`;
  const option = directory === chosen ? "--work-dir" : "TMPDIR";
  return `Cannot write the files of the run to ${directory} (${code}). Choose another directory with ${option}`;
}

/** The block that `--config` and `--sandbox` name. @throws {FirewallError} */
async function sandboxOf(
  { config, sandbox }: WrittenOptions,
  readFile: ReadSandboxFile,
): Promise<SandboxFile | undefined> {
  if (config !== undefined) return readFile(config, sandbox);
  if (sandbox === undefined) return undefined;
  throw new FirewallError("sandbox_alone", "--sandbox requires --config to be set");
}

async function runSettings(
  settings: AwfSettings,
  command: readonly string[],
  started: PendingNamespace | undefined,
  suggestion: string | undefined,
  files: SandboxFiles,
): Promise<number> {
  const { options, spec } = settings;
  const json = options.json === true;
  if (options.explain !== undefined) {
    const { explainText } = await import("./explain.js");
    process.stdout.write(explainText(spec.policy, options.explain, json));
    return 0;
  }
  // Throws if the directory was removed.
  process.cwd();
  const messages = new Messages(settings.logLevel, { json });
  announce(messages, settings);
  if (settings.logLevel === "debug") {
    const { shownSettings } = await import("./shown-settings.js");
    messages.debug(`Configuration: ${shownSettings(settings, command)}`);
  }
  // The namespace opens its sockets while Node loads the rest of awf.
  const native = settings.engine === "native";
  const ownsTerminal = native && options.ask === true && options.tty !== true;
  const input = ownsTerminal && isTerminal(0) ? "ignore" : "inherit";
  const entering = native ? enter(spec, started, input) : undefined;
  entering?.catch(() => {});
  const { run } = await import("./run.js");
  const exitCode = await run(settings, command, messages, entering, { ownsTerminal, files });
  if (exitCode === 127 && suggestion)
    messages.warn(`${command[0]} is no command of awf's; did you mean: ${suggestion}`);
  messages.plain(`Process exiting with code: ${exitCode}`);
  return exitCode;
}

function announce(messages: Messages, { options, spec }: AwfSettings): void {
  const { policy, dns, localhost } = spec;
  if (options.envAll) {
    messages.warn("⚠️  Using --env-all: All host environment variables will be passed to container");
    messages.warn("   This may expose sensitive credentials if logs or configs are shared");
  }
  if (localhost) {
    messages.warn(
      "⚠️  Security warning: localhost keyword enables host access - agent can reach services on your machine",
    );
  }
  for (const pattern of [...policy.allow.patterns, ...policy.block.patterns]) {
    const topLevel = unknownTopLevel(pattern);
    if (topLevel)
      messages.warn(`${pattern.text}: .${topLevel} is no public suffix; is it spelt right?`);
  }
  const none = policy.learning ? "every public one, to learn from" : "none";
  messages.info(`Allowed domains: ${listed(policy.allow.patterns) || none}`);
  if (policy.block.patterns.length > 0) {
    messages.info(`Blocked domains: ${listed(policy.block.patterns)}`);
  }
  if (policy.allow.patterns.length === 0 && !policy.learning) {
    messages.debug("No allowed domains specified - all network access will be blocked");
  }
  messages.debug(`DNS servers: ${dns.servers.join(", ")}`);
}

function listed(patterns: readonly DomainPattern[]): string {
  return patterns.map(({ text }) => text).join(", ");
}

/** Commands of awf, by the words that a user may mistype. */
const own: ReadonlyMap<string, string> = new Map([
  ["logs", "awf logs"],
  ["doctor", "awf doctor"],
  ["profile", "awf profile"],
  ["ask", "awf ask"],
  ["suggest", "awf suggest"],
  ["recover", "awf recover"],
  ["stats", "awf logs stats"],
  ["summary", "awf logs summary"],
  ["audit", "awf logs audit"],
]);

/** The command of awf that `awf WORD …` probably means. With options or `--` first, WORD is a program. */
export function suggestCommand(argv: readonly string[]): string | undefined {
  const [word = ""] = argv;
  for (const [name, call] of own) if (atMostOneEdit(word, name)) return call;
  return undefined;
}
