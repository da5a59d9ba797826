/** `reeve up`: the daemon in the foreground. */
import { existsSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import type { ReadyInfo } from "../../daemon/main.js";
import { render, type Sources } from "../../grammar/index.js";
import { socketPaths } from "../control/sockets.js";
import { type Call, choice, defineCommand, text } from "../plugin-api/command.js";
import { Exit, type ExitCode, Failure } from "../plugin-api/exit.js";
import type { Channel, Output } from "../plugin-api/output.js";
import { writePairs } from "../print/layout.js";
import { programName } from "../print/program-name.js";
import { countText, duration } from "../print/units.js";
import { limitHeap } from "../program/heap-limit.js";
import { version } from "../program/version.js";
import { shownPath } from "../project/files.js";
import { fileArgument } from "../project/load.js";
import { sourceFrom, sourceOptions, stateRoot } from "../project/source.js";

const options = {
  control: text(
    "PATH",
    "the path of the control socket (default: REEVE_CONTROL, or the usual path)",
  ),
  state: text("DIR", "the state directory (default: the usual path)"),
  logFormat: choice(["text", "json"], "the log format (default: text on a terminal)"),
  logLevel: choice(
    ["debug", "info", "warn", "error"],
    "the log level (default: from the configuration)",
  ),
  ...sourceOptions,
};

export const command = defineCommand({
  description:
    "Runs in the foreground until it is interrupted, and applies every saved edit of the configuration. " +
    "SIGTERM and SIGINT drain running work, a second one stops at once; SIGHUP reloads the configuration. " +
    "If the configuration is invalid, the last good one runs instead. The log goes to standard error. " +
    "FILE may be `git+URL#BRANCH`: the daemon follows that branch; see docs/git-source.md.",
  arguments: [fileArgument],
  options,
  examples: [
    { command: "reeve up", does: "runs ./main.reeve" },
    {
      command: "reeve up /etc/reeve --log-format json",
      does: "runs /etc/reeve/main.reeve, as a service does",
    },
    {
      command: "reeve up git+https://git.example/ops.git#main --signers ./allowed_signers",
      does: "follows a branch of signed commits",
    },
    {
      command: "reeve up --state /tmp/r --control /tmp/r.sock",
      does: "runs beside another daemon",
    },
  ],
  exits: {
    [Exit.unavailable]: "another daemon runs already, or an address or directory is unavailable",
    [Exit.temporary]:
      "this machine lacks a secret, a port or a file at present, or something did not close in time at the end",
    [Exit.configuration]: "the configuration is invalid, and there is no last good one",
  },
  async run(call) {
    limitHeap();
    const { endProcess, runDaemon } = await import("../../daemon/main.js");
    const { options, output } = call;
    const source = sourceFrom(call.arguments[0], options);
    const root = source ? stateRoot(source) : rootOf(call.arguments[0]);
    const logFormat = options.logFormat ?? (output.err.isTerminal ? "text" : "json");
    const settings = { ...options, logFormat };
    let code: number;
    try {
      const ready = (info: ReadyInfo) => greet(root, info, settings, output);
      code = await runDaemon({ ...settings, root, source, version: version(), ready });
    } catch (thrown) {
      return showInvalid(root, thrown, output);
    }
    // Work of plugins that refuses to stop would keep the process.
    return endProcess(code);
  },
});

type UpOptions = Call<typeof options>["options"];

/** The absolute path of the root file. It need not exist: the last good configuration may run without it. */
export function rootOf(named = "."): string {
  const path = resolve(named);
  const isDirectory = statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
  return isDirectory ? join(path, "main.reeve") : path;
}

/** Says where it is and what to try. Machines have the log. */
function greet(root: string, info: ReadyInfo, options: UpOptions, { out, err }: Output): void {
  warn(info, err);
  if (options.logFormat === "json") return;
  const { number, duration: took, summary } = info.generation;
  const blocks = summary ? sum(summary) - summary.removed : 0;
  out.line(
    `${out.paint("bold", `reeve ${version()}`)} runs ${shownPath(root)}: generation ${number}, ` +
      `${countText(blocks, "block")} (${duration(took)}).`,
  );
  writePairs(
    out,
    [
      ...info.listeners.map(
        (listener, index) => [index === 0 ? "listening" : "", addressesOf(listener)] as const,
      ),
      ["control", info.control],
      ["state", info.stateDirectory],
    ],
    "  ",
  );
  suggest(out, root, info.control);
}

/** `http://127.0.0.1:9000/hooks`, ready to be opened; sockets in the file system are named as they are. */
function addressesOf({ address, prefixes }: ReadyInfo["listeners"][number]): string {
  if (address.startsWith("unix:")) return [address, ...prefixes].join(" ");
  // What listens everywhere is reached here, too.
  const host = address.replace(/^(?:0\.0\.0\.0|\[::\])?:/, "127.0.0.1:");
  return prefixes.map((prefix) => `http://${host}${prefix}`).join(" ");
}

const sum = (numbers: Readonly<Record<string, number>>): number =>
  Object.values(numbers).reduce((total, number) => total + number, 0);

function suggest(out: Channel, root: string, control: string): void {
  const usual = socketPaths({ environment: process.env, uid: process.getuid?.() });
  const where = usual.includes(control) ? "" : ` --control ${control}`;
  out.line("Try, in another terminal:");
  for (const verb of ["status", "events", "plan"]) out.line(`  ${programName()} ${verb}${where}`);
  out.line(
    `Edit ${basename(root)} and save it: the daemon applies it at once. Ctrl-C stops the daemon.`,
  );
}

/** What is on disk does not run, or runs with warnings. */
function warn({ refused, generation, sources }: ReadyInfo, err: Channel): void {
  if (refused) {
    const footer = `Generation ${generation.number}, the last good one, runs instead: the daemon is degraded.`;
    err.write(
      render(refused.generation.diagnostics, refused.sources, { colour: err.colour, footer }),
    );
  } else if (generation.diagnostics.length > 0) {
    err.write(render(generation.diagnostics, sources, { colour: err.colour }));
  }
}

interface Invalid {
  readonly code: string;
  readonly generation: ReadyInfo["generation"];
  readonly sources: Sources;
}

/** Why nothing can run, with carets. Anything else that was thrown is thrown on. */
function showInvalid(root: string, thrown: unknown, { err }: Output): ExitCode {
  const { code, generation, sources } = thrown as Partial<Invalid>;
  if (code !== "configuration_invalid" || !generation || !sources) throw thrown;
  if (!existsSync(root)) {
    throw new Failure(Exit.configuration, `there is no \`${shownPath(root)}\``, {
      help: `Write a first one with \`reeve init ${shownPath(dirname(root))}\`, or name another file.`,
      cause: thrown,
    });
  }
  if (generation.diagnostics.length === 0) throw thrown;
  const footer = "Nothing runs.";
  err.write(render(generation.diagnostics, sources, { colour: err.colour, footer }));
  const errors = generation.diagnostics.filter(({ severity }) => severity === "error");
  return errors.every(({ host }) => host) ? Exit.temporary : Exit.configuration;
}
