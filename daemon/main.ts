/** A daemon from its start to its end. */
import { basename } from "node:path";
import type { DependencyContainer } from "tsyringe";
import { defaultSettings } from "./config/daemon-block.js";
import { errorMessage } from "./errors.js";
import { failInlinePlugin } from "./host/instance/inline.js";
import type { ListenerStatus } from "./http/control/api.js";
import { refuseSecondDaemon } from "./http/control/control.js";
import { makeUsualDirectory, socketPath } from "./http/control/socket-path.js";
import { compose } from "./main/compose.js";
import { registerDaemon } from "./main/daemon-register.js";
import { directoriesFor } from "./main/directories.js";
import { ExitDeadline } from "./main/exit-deadline.js";
import { monitorHealth } from "./main/health-monitor.js";
import { lockDirectory } from "./main/lock.js";
import { trimWhenIdle } from "./main/memory-trimmer.js";
import { monitorPool } from "./main/pool-monitor.js";
import { listenToProcess } from "./main/process-events.js";
import { Shutdown } from "./main/shutdown.js";
import { monitorStalls } from "./main/stall-monitor.js";
import { DaemonToken } from "./main/tokens.js";
import type { Log } from "./plugin-api/context.js";
import type { StartOutcome } from "./reload/contract.js";
import { CleanupStack } from "./services/cleanup-stack.js";
import type { ServiceOptions } from "./services/contract.js";
import type { SourceSettings } from "./source/contract.js";

export { endProcess } from "./main/end-process.js";

export interface RunOptions {
  /** Absolute path of the configuration's root file. */
  readonly root: string;
  /** Reeve's own version. */
  readonly version: string;
  /** Where the configuration comes from, if it is not on disk. `root` then only names the usual state directory. */
  readonly source?: SourceSettings | undefined;
  /** `--control PATH`. */
  readonly control?: string | undefined;
  /** `--state DIR`. */
  readonly state?: string | undefined;
  readonly logFormat: ServiceOptions["logFormat"];
  /** Wins over the configuration. @default what the configuration says */
  readonly logLevel?: ServiceOptions["logLevel"] | undefined;
  /** @default standard error */
  readonly logStream?: NodeJS.WritableStream;
  /** Called once, when everything answers. */
  readonly ready?: (info: ReadyInfo) => void;
}

export interface ReadyInfo extends StartOutcome {
  /** Absolute path of the control socket. */
  readonly control: string;
  readonly stateDirectory: string;
  readonly listeners: readonly ListenerStatus[];
}

/** Milliseconds from the end of the drain time to the end of the process. */
const LAST_PATIENCE = 1000;
/** Milliseconds after the end of the drain time: commands that ignore SIGTERM are killed, and the next part closes while plugins still do. */
const KILL = 500;
const PLUGINS = 700;
/** Milliseconds that a part may take which holds no work, before and after the end of the drain time. */
const PART = 1000;
const LATE_PART = 100;

/**
 * Runs until the process is asked to stop. Resolves with the exit code: 0 after a drain, 128 plus the signal's number
 * after an immediate stop, 70 after an internal error. The caller then exits the process, because plugin work that
 * does not stop would keep it alive. Once asked to stop, the process ends one second after the drain time at the latest, whatever is open.
 * @throws InvalidConfiguration when neither the configuration nor the last good one can run
 * @throws ReeveError `already_running`, or when a directory, a socket or an address cannot be had
 */
export async function runDaemon(options: RunOptions): Promise<number> {
  const startedAt = Date.now();
  const environment = process.env;
  const control = socketPath({ flag: options.control });
  const directories = directoriesFor(options);
  makeUsualDirectory(control);
  await refuseSecondDaemon(control);

  const shutdown = new Shutdown();
  const stack = new CleanupStack();
  let container: DependencyContainer | undefined;
  const log = () => container?.resolve(DaemonToken.kit).log;
  const deadline = new ExitDeadline({
    logFormat: options.logFormat,
    open: () => openParts(stack, container),
    code: () => shutdown.code,
  });
  void shutdown.requested.then(() => {
    const hurry = () => deadline.arm(LAST_PATIENCE);
    shutdown.cut.addEventListener("abort", hurry);
    if (shutdown.cut.aborted) hurry();
    else deadline.arm(drainTimeOf(container) + LAST_PATIENCE);
  });
  const stopListening = listenToProcess({
    shutdown,
    log,
    failPlugin: failInlinePlugin,
    stacks: options.logFormat === "json",
    reload: async () => {
      if (container !== undefined) await reloadBySignal(container);
    },
  });
  try {
    const unlock = lockDirectory(directories.state);
    stack.defer("lock", async () => unlock());
    const { version, source } = options;
    const stateDirectory = directories.state;
    const root = source
      ? (await import("./source/source.js")).sourceRoot(source, stateDirectory)
      : options.root;
    const registered = registerDaemon({ root, control, state: stateDirectory }, source, stack);
    container = await compose(
      {
        services: {
          directories,
          logFormat: options.logFormat,
          logLevel: options.logLevel ?? "info",
          ...(options.logStream && { logStream: options.logStream }),
        },
        identity: { version, startedAt, root, control, stateDirectory },
        source,
        shared: process.getuid?.() === 0 || environment.RUNTIME_DIRECTORY !== undefined,
        environment,
        draining: () => shutdown.isRequested,
        cut: shutdown.cut,
        fixedLogLevel: options.logLevel !== undefined,
      },
      stack,
    );
    registered.follow(container);
    await start(container, shutdown, stack, options, { control, stateDirectory });
    const stopResting = trimWhenIdle();
    stack.defer("rest", async () => stopResting());
    await shutdown.requested;
    await drain(container, shutdown, stack, () => deadline.note());
    return shutdown.code;
  } catch (thrown) {
    shutdown.cutNow();
    await stack.unwind({ failed: failed(log()) });
    throw thrown;
  } finally {
    deadline.disarm();
    stopListening();
  }
}

async function start(
  container: DependencyContainer,
  shutdown: Shutdown,
  stack: CleanupStack,
  options: RunOptions,
  paths: Pick<ReadyInfo, "control" | "stateDirectory">,
): Promise<void> {
  const { log, events, metrics } = container.resolve(DaemonToken.kit);
  const { version } = options;
  metrics
    .scoped("daemon")
    .gauge("build_info", "Always 1; the labels say what runs.", ["version", "node"])
    .set(1, { version, node: process.versions.node });
  await container.resolve(DaemonToken.control).open();
  const { source } = container.resolve(DaemonToken.source);
  const prepared = await Promise.race([
    source?.prepare().then(() => true) ?? true,
    shutdown.requested,
  ]);
  if (prepared === undefined) return;
  const outcome = await Promise.race([
    container.resolve(DaemonToken.reloader).start(),
    shutdown.requested,
  ]);
  if (outcome === undefined) return;
  source?.follow();
  const { stateDirectory } = paths;
  const kit = container.resolve(DaemonToken.kit);
  const control = container.resolve(DaemonToken.control);
  const pool = monitorPool({ conditions: kit.conditions });
  stack.defer("pool monitor", () => pool.stop());
  const isPoolBlocked = () => pool.isBlocked;
  const stopMonitor = await monitorHealth({ kit, stateDirectory, control, isPoolBlocked });
  stack.defer("health monitor", stopMonitor);
  const stopStalls = monitorStalls({ log, metrics: metrics.scoped("process") });
  stack.defer("stall monitor", async () => stopStalls());
  const notifier = container.resolve(DaemonToken.notifier);
  notifier.watch();
  void notifier.ready(statusLine(container));
  const unsubscribe = events.subscribe(({ type }) => {
    // Events come before the state that they announce.
    if (/^(config|condition)\./.test(type)) {
      setImmediate(() => notifier.status(statusLine(container)));
    }
  });
  stack.defer("status line", async () => unsubscribe());
  const { number } = outcome.generation;
  events.emit("daemon.started", { version, generation: number });
  log.info("Started", { version, generation: number, control: paths.control });
  options.ready?.({
    ...outcome,
    ...paths,
    listeners: container.resolve(DaemonToken.listeners).list(),
  });
}

async function drain(
  container: DependencyContainer,
  shutdown: Shutdown,
  stack: CleanupStack,
  begins: () => void,
): Promise<void> {
  const { log, events, killCommands } = container.resolve(DaemonToken.kit);
  const patience = drainTimeOf(container);
  void container.resolve(DaemonToken.notifier).stopping(patience + LAST_PATIENCE);
  events.emit("daemon.stopping", {});
  const forget = shutdown.cutAfter(patience);
  const control = container.resolve(DaemonToken.control);
  void afterCut(shutdown, KILL).then(killCommands);
  const late = (part: string) => log.error(CLOSED_LATE, { part });
  await stack.unwind({ begins, failed: failed(log), patience: patienceFor(shutdown), late });
  control.removeFile();
  forget();
}

/** In milliseconds; before a configuration runs, the default. */
function drainTimeOf(container: DependencyContainer | undefined): number {
  const isComposed = container?.isRegistered(DaemonToken.reloader) === true;
  const program = isComposed ? container.resolve(DaemonToken.reloader).program : undefined;
  return (program?.daemon ?? defaultSettings).drainTimeout;
}

/** What does not close holds up the others for a while only. */
function patienceFor(shutdown: Shutdown): (part: string) => Promise<void> {
  return async (part) => {
    if (part === "plugins") await afterCut(shutdown, PLUGINS);
    else if (part === "listeners") await afterCut(shutdown, LATE_PART);
    // The state directory is another daemon's once its lock is gone.
    else if (part === "services") await new Promise(() => undefined);
    else await Promise.race([afterCut(shutdown, LATE_PART), after(PART)]);
  };
}

const CLOSED_LATE = "A part of the daemon has not closed in time: the next one closes";

async function afterCut({ cut }: Shutdown, milliseconds: number): Promise<void> {
  if (!cut.aborted) {
    await new Promise((resolve) => cut.addEventListener("abort", resolve, { once: true }));
  }
  await after(milliseconds);
}

const after = (milliseconds: number): Promise<void> =>
  new Promise((resolve) => setTimeout(resolve, milliseconds).unref());

/** For people; plugins that have not stopped by their name, and why the daemon was not ready. */
function openParts(
  stack: CleanupStack,
  container: DependencyContainer | undefined,
): readonly string[] {
  if (!container?.isRegistered(DaemonToken.host)) return stack.open;
  const running = container
    .resolve(DaemonToken.host)
    .status()
    .filter(({ state }) => state !== "stopped" && state !== "discovered");
  const names = running.map(({ id }) => id).join(" ");
  const { conditions } = container.resolve(DaemonToken.kit);
  return [
    ...stack.open.map((part) => (part === "plugins" && names ? `plugins (${names})` : part)),
    ...conditions.list().map(({ reason }) => reason),
  ];
}

const failed = (log: Log | undefined) => (part: string, thrown: unknown) =>
  log?.error("Cannot close a part of the daemon", { part, reason: errorMessage(thrown) });

/** SIGHUP, as systemd understands it: the answer is `RELOADING=1`, then `READY=1`. */
async function reloadBySignal(container: DependencyContainer): Promise<void> {
  const notifier = container.resolve(DaemonToken.notifier);
  const reloader = container.resolve(DaemonToken.reloader);
  // The start reads the configuration anyway.
  if (reloader.current === undefined) return;
  void notifier.reloading();
  const { source } = container.resolve(DaemonToken.source);
  try {
    await source?.poll();
    await reloader.reload("signal");
  } finally {
    await notifier.ready(statusLine(container));
  }
}

/** One line for `systemctl status`. */
function statusLine(container: DependencyContainer): string {
  const { current, degraded, program } = container.resolve(DaemonToken.reloader);
  if (degraded !== undefined) return `degraded: ${degraded.reason}`;
  const where = program === undefined ? "" : ` of ${basename(program.root)}`;
  const { conditions } = container.resolve(DaemonToken.kit);
  const reasons = conditions.list().map(({ reason }) => `; ${reason}`);
  return `generation ${current?.number ?? 0}${where}, ${program?.blocks.size ?? 0} blocks${reasons.join("")}`;
}
