/** Parses the options of `awf [options] -- <command>`; `settings.ts` interprets them. */
import { Command, CommanderError, Option } from "commander";
import { type ForeignOption, foreignOptions, nameOf } from "./foreign-options.js";

/** Values as written, without defaults. */
export interface WrittenOptions {
  /** A file with a `sandbox` block. Flags add to it. */
  readonly config?: string;
  /** Which block of the file. */
  readonly sandbox?: string;
  readonly allowDomains?: string;
  readonly allowDomainsFile?: string;
  readonly profile?: readonly string[];
  readonly blockDomains?: string;
  readonly blockDomainsFile?: string;
  readonly sslBump?: boolean;
  readonly allowUrls?: string;
  /** The domains of `--no-bump`, which the parser takes for the negation of `--bump`. */
  readonly bump?: string | boolean;
  readonly injectCredential?: readonly string[];
  readonly rateLimitRpm?: string;
  readonly rateLimitRph?: string;
  readonly rateLimitBytesPm?: string;
  readonly denySecrets?: boolean;
  readonly enableDlp?: boolean;
  readonly logLevel?: string;
  readonly keepContainers?: boolean;
  readonly engine?: string;
  readonly tty?: boolean;
  readonly workDir?: string;
  readonly buildLocal?: boolean;
  readonly imageRegistry?: string;
  readonly imageTag?: string;
  readonly skipPull?: boolean;
  readonly agentImage?: string;
  readonly env?: readonly string[];
  readonly envAll?: boolean;
  readonly excludeEnv?: readonly string[];
  readonly envFile?: readonly string[];
  readonly mount?: readonly string[];
  readonly containerWorkdir?: string;
  readonly dnsServers?: string;
  readonly proxyLogsDir?: string;
  readonly enableHostAccess?: boolean;
  readonly allowHostPorts?: string;
  readonly allowWrite?: readonly string[];
  readonly denyRead?: readonly string[];
  readonly denyWrite?: readonly string[];
  readonly allowSocket?: readonly string[];
  readonly timeout?: string;
  readonly memory?: string;
  readonly pids?: string;
  readonly memoryLimit?: string;
  readonly pidsLimit?: string;
  readonly agentTimeout?: string;
  readonly allowHostServicePorts?: string;
  readonly dockerHost?: string;
  readonly upstreamProxy?: string;
  readonly learn?: boolean;
  readonly ask?: boolean;
  readonly explain?: string;
  readonly json?: boolean;
}

export interface WrittenCommandLine {
  readonly options: WrittenOptions;
  /** Options of the existing tool without an effect, each with the reason. */
  readonly ignored: readonly string[];
  readonly command: readonly string[];
}

/** The reply to arguments that start no run. */
export interface ParserReply {
  /** For stdout (help, version) or stderr (an error). */
  readonly text: string;
  readonly exitCode: number;
}

const join = (value: string, earlier?: string | boolean): string =>
  typeof earlier !== "string" ? value : `${earlier},${value}`;
const collect = (value: string, earlier: readonly string[] = []): string[] => [...earlier, value];

/** Parses the arguments after the program's name. Never throws: a usage error is a reply. */
export function readCommandLine(
  argv: readonly string[],
  version: string,
): WrittenCommandLine | ParserReply {
  let text = "";
  const say = (more: string) => {
    text += more;
  };
  const program = runCommand(version)
    .configureOutput({ writeOut: say, writeErr: say })
    .exitOverride();
  try {
    program.parse([...argv], { from: "user" });
  } catch (thrown) {
    if (thrown instanceof CommanderError) {
      return { text: text.trimEnd(), exitCode: thrown.exitCode === 0 ? 0 : 1 };
    }
    throw thrown;
  }
  const isUsed = (option: ForeignOption) =>
    argv.some((word) => word.split("=")[0] === nameOf(option)) &&
    program.getOptionValueSource(new Option(option.flags).attributeName()) === "cli";
  const used = foreignOptions.filter(isUsed);
  const reason = (option: ForeignOption) => `${nameOf(option)}: ${option.why}`;
  const refusal = used.find(({ effect }) => effect === "refused");
  if (refusal) return { text: `error: awf has no ${reason(refusal)}`, exitCode: 1 };
  const ignored = used.map(reason);
  return { options: program.opts<WrittenOptions>(), ignored, command: program.args };
}

function runCommand(version: string): Command {
  const program = new Command("awf")
    .description("Runs a command that can reach only the listed domains.")
    .usage("[options] -- <command>")
    .version(version, "-V, --version", "print the version")
    .helpOption("-h, --help", "print this help")
    .showSuggestionAfterError(false)
    .passThroughOptions()
    .argument("[command...]", "one word is a shell line, several are a program and its arguments")
    .addHelpText("after", afterHelp);
  for (const [flags, description, more] of optionTable) {
    const option = new Option(flags, description);
    if (more === "repeatable") option.argParser(collect);
    else if (more === "joined") option.argParser(join);
    program.addOption(option);
  }
  for (const { flags } of foreignOptions) program.addOption(new Option(flags).hideHelp());
  return program;
}

/** Flags, description with default, and whether the option is repeatable. */
const optionTable: ReadonlyArray<
  readonly [flags: string, description: string, more?: "repeatable" | "joined"]
> = [
  [
    "-d, --allow-domains <domains>",
    "allowed domains, comma-separated; repeatable; none: no network (default: none)",
    "joined",
  ],
  ["--allow-domains-file <path>", "file with one allowed domain per line, # starts a comment"],
  [
    "--profile <name>",
    "add the domains and paths of a tool: npm, pip, cargo, go, git, claude, codex; repeatable",
    "repeatable",
  ],
  ["--block-domains <domains>", "blocked domains, comma-separated; they win over allowed ones"],
  ["--block-domains-file <path>", "file with one blocked domain per line"],
  ["--ssl-bump", "intercept HTTPS, to see whole URLs (default: false)"],
  ["--allow-urls <urls>", "allowed URL patterns, comma-separated; needs --ssl-bump"],
  ["--no-bump <domains>", "domains whose HTTPS is not intercepted, comma-separated", "joined"],
  [
    "--inject-credential <NAME=hosts>",
    "give the command a placeholder for this variable, which the proxy replaces in requests to the hosts; repeatable",
    "repeatable",
  ],
  ["--rate-limit-rpm <count>", "requests a minute that each entry of the list allows"],
  ["--rate-limit-rph <count>", "requests an hour that each entry of the list allows"],
  ["--rate-limit-bytes-pm <bytes>", "bytes a minute that requests to each entry may send"],
  [
    "--deny-secrets",
    "refuse requests with a value of a secret variable or a token (default: false)",
  ],
  ["--enable-dlp", "the same"],
  ["--log-level <level>", "debug, info, warn or error (default: info)"],
  ["--engine <engine>", "native, or docker, which the options of images choose (default: native)"],
  [
    "-k, --keep-containers",
    "keep containers and the run's files after the command has ended (default: false)",
  ],
  ["--tty", "give the command a pseudo-terminal (default: false)"],
  ["--work-dir <dir>", "directory for temporary files (default: /tmp/awf-<timestamp>)"],
  ["-b, --build-local", "build the image from local files (Docker engine; default: false)"],
  [
    "--image-registry <url>",
    "registry of the images (Docker engine; default: ghcr.io/github/gh-aw-firewall)",
  ],
  ["--image-tag <tag>", "tag of the images (Docker engine; default: latest)"],
  ["--skip-pull", "use local images without pulling (Docker engine; default: false)"],
  ["-e, --env <KEY=VALUE>", "pass one environment variable; repeatable", "repeatable"],
  ["--env-all", "pass the whole environment; it may hold credentials (default: false)"],
  [
    "--exclude-env <name>",
    "leave a variable out of the passed environment; repeatable",
    "repeatable",
  ],
  ["--env-file <path>", "file with KEY=VALUE lines to pass; repeatable", "repeatable"],
  [
    "-v, --mount <host:container[:mode]>",
    "mount a host path, mode ro or rw (default: rw); repeatable",
    "repeatable",
  ],
  [
    "--container-workdir <dir>",
    "directory that the command starts in (default: the home directory)",
  ],
  [
    "--dns-servers <servers>",
    "DNS servers that may be asked, comma-separated (default: 8.8.8.8,8.8.4.4)",
  ],
  ["--proxy-logs-dir <path>", "write access.log here instead of a temporary directory"],
  [
    "--enable-host-access",
    "let the command reach this machine as host.docker.internal (default: false)",
  ],
  [
    "--allow-host-ports <ports>",
    "ports and ranges a-b of this machine (default: 80,443); needs --enable-host-access",
  ],
  [
    "--allow-host-service-ports <ports>",
    "ports of this machine, databases and shells too, as host.docker.internal",
  ],
  ["--docker-host <address>", "the Docker engine, unix:///path (default: DOCKER_HOST)"],
  [
    "--agent-image <value>",
    "default, act, or with --build-local a base image (Docker engine; default: default)",
  ],
  ["--allow-write <path>", "make only these paths writable; repeatable", "repeatable"],
  [
    "--deny-read <path>",
    "show this file or directory empty, also if it appears later; repeatable",
    "repeatable",
  ],
  [
    "--deny-write <path>",
    "keep this path as it is, whatever else is writable; repeatable",
    "repeatable",
  ],
  [
    "--allow-socket <path>",
    "let the command use this UNIX socket or pipe of the machine; repeatable",
    "repeatable",
  ],
  ["--timeout <duration>", "end the command after 90s, 5m, 2h; exit code 124"],
  ["--agent-timeout <minutes>", "the same in minutes"],
  ["--memory <size>", "memory the command may use: 512m, 4g"],
  ["--memory-limit <size>", "the same"],
  ["--pids <count>", "processes the command may have at a time"],
  ["--pids-limit <count>", "the same"],
  [
    "--config <file>",
    "take a sandbox block of a .reeve, .json or .yaml file, or of the standard input (-); options add to it",
  ],
  ["--sandbox <name>", "which sandbox block of the file; needs --config"],
  ["--upstream-proxy <url>", "reach the network through this HTTP proxy"],
  ["--learn", "allow every public domain, record, and print the list the command needs"],
  [
    "--ask",
    "ask at the terminal about domains that no list has, for 30 seconds each (default: false)",
  ],
  ["--explain <domain-or-url>", "say which rule decides about a domain or URL, run nothing"],
  ["--json", "print what awf itself reports as JSON"],
];

const afterHelp = `
Other commands:
  awf logs [options]            show the records of current or earlier runs
  awf logs stats|summary|audit  count them, by domain or by rule
  awf profile list|show <name>  show what --profile adds
  awf ask [<question> <answer>] list the questions of runs with --ask, or answer one
  awf suggest [options]         merge the logs of runs with --learn into a list
  awf recover [<run>]           list killed runs, or take over the changes of one
  awf doctor                    say what this system lacks

Examples:
  awf --allow-domains github.com,npmjs.org -- npm ci
  awf --allow-domains '*.example.com' --block-domains ads.example.com -- 'curl -s https://api.example.com | head'
  awf -- make test              no network at all

Exit code: the command's own; 1 for a usage awf rejects, 124 after --timeout, 130 after SIGINT, 143 after SIGTERM.`;
