/** `awf [options] -- <command>`: options read and checked, then the run. */
import type { PendingNamespace } from "../engine/namespace.js";
import { FirewallError } from "../errors.js";
import type { DomainPattern } from "../policy/pattern.js";
import { unknownTopLevel } from "../policy/public-suffix.js";
import { enter } from "./enter.js";
import { mergeOptions, optionsFrom, type ReadSandboxFile } from "./merge-options.js";
import { Messages } from "./messages.js";
import { readCommandLine, type WrittenOptions } from "./options.js";
import { readSettings } from "./settings.js";
import { suggestCommand } from "./suggest-command.js";

/** Resolves with the exit code: the command's, or 1 with a sentence on stderr. */
export async function runCommand(
  argv: readonly string[],
  version: string,
  started: PendingNamespace | undefined,
  readFile: ReadSandboxFile,
): Promise<number> {
  const read = readCommandLine(argv, version);
  if ("exitCode" in read) {
    (read.exitCode === 0 ? process.stdout : process.stderr).write(`${read.text}\n`);
    return read.exitCode;
  }
  const { options, command } = read;
  if (command.length === 0 && options.explain === undefined) {
    process.stderr.write(
      "Error: No command specified. Use -- to separate command from options.\nExample: awf --allow-domains github.com -- curl https://api.github.com\n",
    );
    return 1;
  }
  try {
    return await runOptions(
      await withFile(options, readFile),
      command,
      started,
      suggestCommand(argv),
    );
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    if (thrown.code === "invalid_log_level") process.stderr.write(`${thrown.message}\n`);
    else new Messages("error", { json: options.json === true }).error(thrown.message);
    return 1;
  }
}

/** @throws {FirewallError} */
async function withFile(
  options: WrittenOptions,
  readFile: ReadSandboxFile,
): Promise<WrittenOptions> {
  const { config, sandbox } = options;
  if (config !== undefined)
    return mergeOptions(optionsFrom(await readFile(config, sandbox)), options);
  if (sandbox === undefined) return options;
  throw new FirewallError("sandbox_alone", "--sandbox requires --config to be set");
}

async function runOptions(
  options: WrittenOptions,
  command: readonly string[],
  started: PendingNamespace | undefined,
  meant: string | undefined,
): Promise<number> {
  const settings = readSettings(options);
  const json = options.json === true;
  if (options.explain !== undefined) {
    const { explainText: explain } = await import("./explain.js");
    process.stdout.write(explain(settings.policy, options.explain, json));
    return 0;
  }
  const messages = new Messages(settings.logLevel, { json });
  announce(messages, settings);
  if (settings.logLevel === "debug") {
    const { shownSettings } = await import("./shown-settings.js");
    messages.debug(`Configuration: ${shownSettings(settings, command)}`);
  }
  // The namespace opens its sockets while the rest of awf is loaded.
  const entering = settings.engine === "native" ? enter(settings, started) : undefined;
  entering?.catch(() => {});
  const { run } = await import("./run.js");
  const exitCode = await run(settings, command, messages, entering);
  if (exitCode === 127 && meant)
    messages.warn(`${command[0]} is no command of awf's; did you mean: ${meant}`);
  messages.plain(`Process exiting with code: ${exitCode}`);
  return exitCode;
}

function announce(
  messages: Messages,
  { policy, dns, options, localhostKeyword }: ReturnType<typeof readSettings>,
): void {
  if (options.envAll) {
    messages.warn("⚠️  Using --env-all: All host environment variables will be passed to container");
    messages.warn("   This may expose sensitive credentials if logs or configs are shared");
  }
  if (localhostKeyword) {
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
