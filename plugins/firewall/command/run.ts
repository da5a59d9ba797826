/** One run of `awf`: launches the command, waits for its end, keeps its logs and reports. */
import { rmSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { setFlagsFromString } from "node:v8";
import { stampOf } from "../engine/entries.js";
import { isWithin } from "../engine/paths.js";
import { type KilledRun, UnfinishedRuns } from "../engine/unfinished-runs.js";
import {
  makeDefaultWorkDirectory,
  makeWorkDirectory,
  removeAbandoned,
} from "../engine/work-directory.js";
import { FirewallError, systemCode } from "../errors.js";
import { AccessLogWriter } from "../log/writer.js";
import { createDialler } from "../sandbox/dialler.js";
import { launch, type SandboxEngine } from "../sandbox/launch.js";
import { nativeEngine, type OpenedNamespace } from "../sandbox/native-engine.js";
import { type ChangedFile, RunRecords, recordsDirectory } from "../sandbox/run-records.js";
import { runningDaemons } from "../sandbox/running-daemons.js";
import { type Invoker, invoker } from "../sandbox/user.js";
import { directoryProblem, shellCommand } from "../sandbox/view.js";
import { commandEnvironment } from "./environment.js";
import type { Messages } from "./messages.js";
import { preserveLogs } from "./preserve-logs.js";
import { report } from "./report.js";
import { listed, printable, reportCommit, reportDaemons, utc } from "./report-changes.js";
import { RequestTally } from "./request-tally.js";
import { RunTermination } from "./run-termination.js";
import type { AwfSettings, SandboxFiles } from "./settings.js";

export interface RunTerminal {
  /** The command does not read the user's terminal. */
  readonly ownsTerminal: boolean;
  /** To write answers to. */
  readonly files: SandboxFiles;
}

/**
 * Runs the command to its end. Resolves with the exit code for awf.
 * @throws {FirewallError} if it cannot be started
 */
export async function run(
  settings: AwfSettings,
  command: readonly string[],
  messages: Messages,
  entering: Promise<OpenedNamespace> | undefined,
  terminal: RunTerminal,
): Promise<number> {
  using stopping = new RunTermination(settings.spec.timeoutMs);
  try {
    return await perform(settings, command, messages, entering, terminal, stopping);
  } catch (thrown) {
    // A start that fails because the user ended the run is no error.
    if (stopping.forced !== undefined) return stopping.forced;
    throw thrown;
  }
}

async function perform(
  settings: AwfSettings,
  command: readonly string[],
  messages: Messages,
  entering: Promise<OpenedNamespace> | undefined,
  terminal: RunTerminal,
  stopping: RunTermination,
): Promise<number> {
  const { options, spec } = settings;
  const records = new RunRecords(recordsDirectory());
  const runs = UnfinishedRuns.below(records.directory);
  await using undo = new AsyncDisposableStack();
  // Ends last: until the engine has ended, the command may change files.
  const unfinished = undo.use(runs?.begin(programOf(command)));
  const engine = undo.use(await engineFor(settings, entering, messages));
  const user = invoker();
  const directory = startDirectory(settings, user, messages);
  reportOpenHome(settings, user, messages);
  const environment = commandEnvironment(settings, user.home);
  const dialler = diallerFor(settings);
  const values = credentialValues(settings, environment);
  removeAbandoned();
  reportLeft(runs?.left() ?? [], messages);
  const daemons = runningDaemons(user);
  reportDaemons(daemons, spec, messages);
  const workDirectory =
    options.workDir === undefined
      ? makeDefaultWorkDirectory(options.proxyLogsDir)
      : makeWorkDirectory(options.workDir, options.proxyLogsDir);
  undo.defer(() => {
    if (!options.keepContainers) rmSync(workDirectory, { recursive: true, force: true });
  });
  const logDirectory = options.proxyLogsDir ?? join(workDirectory, "squid-logs");
  const log = openLog(logDirectory);
  const tally = new RequestTally();
  const state = records.directory === undefined ? [] : [dirname(records.directory)];
  const used = [...settings.files, ...(options.proxyLogsDir === undefined ? [] : log.files)];
  const earlier = records.changed(used);
  reportEarlier(earlier, messages, log);
  let ended: ReturnType<RunRecords["begin"]> = () => {};
  const own = new Map(settings.files.map((path) => [path, stampOf(path)]));
  const board =
    options.ask &&
    undo.use(
      // Most runs ask nothing.
      await (await import("./run-questions.js")).openQuestions(
        settings,
        { ...terminal, messages, directory: records.directory },
        (path) => own.set(path, stampOf(path)),
      ),
    );
  const launched = await launch(
    spec,
    {
      command: shellCommand(command),
      directory,
      terminal: options.tty === true,
      workspace: process.cwd(),
      kept: [...settings.files, ...log.files, ...state],
      hidden: state,
      daemons,
      environment: (trusted) => ({ ...trusted, ...environment }),
      values,
      workDirectory,
      unfinished,
      user,
      dialler,
      signal: stopping.stopRequest,
    },
    engine,
    {
      policy: () => spec.policy,
      ...(board && { questions: board.questions }),
      record: (record) => {
        tally.add(record);
        log.write(record);
      },
      prepared: () => messages.info("Executing agent command..."),
      starting: (writable) => {
        ended = records.begin({
          label: programOf(command),
          writable,
          kept: [...used, ...daemons.flatMap(({ configuration }) => configuration)],
          changed: earlier,
        });
      },
    },
  );
  tuneProxy();
  const exitCode = await stopping.exitCode(launched.sandbox);
  await launched.close();
  log.flush();
  const replaced = log.isReplaced ? [logDirectory] : [];
  log.close();
  const changed = [...own].filter(([path, stamp]) => stampOf(path) !== stamp).map(([path]) => path);
  if (changed.length + replaced.length > 0)
    messages.warn(
      `Changed while the command ran, which used them as they were: ${listed([...changed, ...replaced])}`,
    );
  const pipes = launched.hiddenPipes();
  if (pipes.length > 0)
    messages.warn(
      `Hidden while the command ran, since a program of this machine may have made them: ${listed(pipes)}. To use a pipe, make it in /tmp or name it with --allow-socket`,
    );
  const { records: lost, reason } = log.losses;
  if (lost > 0) messages.warn(`${lost} records could not be written to the log (${reason})`);
  await engine[Symbol.asyncDispose]();
  const commit = await launched.commit();
  ended([...changed, ...replaced]);
  reportCommit(messages, commit, spec.denyWrite.length > 0);
  if (!commit.isComplete && unfinished)
    messages.warn(`What could not be written is kept: awf recover ${unfinished.id} tries again`);
  const stays = options.proxyLogsDir !== undefined || options.keepContainers === true;
  const logs = preserveLogs(workDirectory, logDirectory, stays);
  report({ messages, settings, tally, exitCode, logs, workDirectory });
  return exitCode;
}

/** Secrets in such a mount are shown, and changes of start files are kept. */
function reportOpenHome({ spec }: AwfSettings, { home }: Invoker, messages: Messages): void {
  const open = spec.volumes.filter(({ host, mode }) => mode === "rw" && isWithin(home, host));
  for (const { host, sandbox } of open)
    messages.warn(
      `At ${sandbox} the command has your home directory as it is (${host}), with secrets and start files. Mount a directory in it instead`,
    );
}

/** Arguments may be secrets. */
const programOf = (command: readonly string[]): string =>
  command
    .join(" ")
    .split(/\s+/)
    .find((word) => !word.includes("=")) ?? "";

/** What earlier commands did to the files of this run. */
function reportEarlier(
  changed: readonly ChangedFile[],
  messages: Messages,
  log: AccessLogWriter,
): void {
  if (changed.length === 0) return;
  const shown = changed.map(({ path, since, label }) => {
    return `${path} (${utc(since)}: ${label})`;
  });
  messages.warn(
    `Changed while an earlier sandboxed command ran, so check it: ${listed(shown)}. touch it to end this notice`,
  );
  const files = changed.map(({ path, since, label }) => ({ path, since, label }));
  log.note({ timestamp: Date.now() / 1000, notice: "changed-files", files });
}

/** Runs that were killed before their changes were taken over. */
function reportLeft(left: readonly KilledRun[], messages: Messages): void {
  for (const { id, label, since, state } of left)
    if (state === "ended")
      messages.warn(
        `An earlier run (${utc(since)}: ${printable(label)}) was killed; its changes to files are kept apart. awf recover ${id} takes them over, with --discard it removes them`,
      );
}

async function engineFor(
  { spec, options }: AwfSettings,
  entering: Promise<OpenedNamespace> | undefined,
  messages: Messages,
): Promise<SandboxEngine> {
  if (entering !== undefined) return nativeEngine(spec, entering);
  const { DockerEngine } = await import("./docker-engine.js");
  return new DockerEngine(spec, options, messages);
}

/** @throws {FirewallError} `invalid_credential` */
function credentialValues(
  { spec, credentials }: AwfSettings,
  environment: Readonly<Record<string, string>>,
): ReadonlyMap<string, string> {
  const named = spec.credentials.map(({ name }): [string, string] => {
    const value = credentials.get(name) ?? environment[name] ?? process.env[name];
    if (value !== undefined) return [name, value];
    const reason = `--inject-credential ${name}: the variable is not set`;
    throw new FirewallError("invalid_credential", reason);
  });
  return new Map(named);
}

/** @throws {FirewallError} `logs_unwritable` */
function openLog(directory: string): AccessLogWriter {
  try {
    return new AccessLogWriter(directory);
  } catch (thrown) {
    throw new FirewallError(
      "logs_unwritable",
      `Cannot write the log to ${directory} (${systemCode(thrown)}). Choose another directory with --proxy-logs-dir`,
    );
  }
}

/** The home directory if the chosen one cannot be used. @throws {FirewallError} `no_working_directory` */
function startDirectory(settings: AwfSettings, user: Invoker, messages: Messages): string {
  const { directory } = settings;
  const problem = directory && startProblem(settings, directory);
  if (directory && problem === undefined) return directory;
  const { home } = user;
  if (problem)
    messages.warn(`--container-workdir ${problem}: ${directory}. The command starts in ${home}`);
  const homeProblem = startProblem(settings, home);
  if (homeProblem === undefined) return home;
  throw new FirewallError("no_working_directory", `The home directory ${homeProblem}: ${home}`);
}

function startProblem({ spec }: AwfSettings, directory: string): string | undefined {
  const path = normalize(directory);
  const mounted = spec.volumes.some(
    ({ sandbox }) => path === sandbox || path.startsWith(`${sandbox}/`),
  );
  return mounted || /^\/(tmp|host)(\/|$)/.test(path) ? undefined : directoryProblem(path);
}

/** @throws {FirewallError} `invalid_upstream_proxy`, `invalid_proxy_variable` */
function diallerFor({ spec, upstreamProxy }: AwfSettings) {
  try {
    return createDialler(spec, upstreamProxy);
  } catch (thrown) {
    if (!(thrown instanceof FirewallError)) throw thrown;
    const { code, message } = thrown;
    const name =
      code === "invalid_upstream_proxy"
        ? "--upstream-proxy"
        : "The proxy variable of the environment";
    throw new FirewallError(code, `${name} ${message}`);
  }
}

/** Sets V8's thresholds for a proxy that lives as long as one command. */
function tuneProxy(): void {
  // The young generation is as large as a proxy needs it; growing costs more than each of a thousand tunnels.
  setFlagsFromString("--semi-space-growth-factor=1");
  // Compile the proxy after some tens of connections, not hundreds: most runs end before that.
  setFlagsFromString("--no-lazy-feedback-allocation");
  setFlagsFromString("--invocation-count-for-maglev=60");
}
