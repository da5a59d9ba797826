/** A daemon from its start to its end. */
import { basename } from "node:path";
import type { DependencyContainer } from "tsyringe";
import { errorMessage } from "./errors.js";
import { failInlinePlugin } from "./host/instance/inline.js";
import type { ListenerStatus } from "./http/control/api.js";
import { refuseSecondDaemon } from "./http/control/control.js";
import { makeUsualDirectory, socketPath } from "./http/control/socket-path.js";
import { compose } from "./main/compose.js";
import { directoriesFor } from "./main/directories.js";
import { monitorHealth } from "./main/health-monitor.js";
import { trimHeapWhenIdle } from "./main/heap-trimmer.js";
import { lockDirectory } from "./main/lock.js";
import { listenToProcess } from "./main/process-events.js";
import { Shutdown } from "./main/shutdown.js";
import { monitorStalls } from "./main/stall-monitor.js";
import { DaemonToken } from "./main/tokens.js";
import type { Log } from "./plugin-api/context.js";
import type { StartOutcome } from "./reload/reloader.js";
import { CleanupStack } from "./services/cleanup-stack.js";
import type { ServiceOptions } from "./services/contract.js";
import type { SourceSettings } from "./source/contract.js";

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

/** Milliseconds that parts have to close after the abort. */
const LAST_PATIENCE = 10_000;

/**
 * Runs until the process is asked to stop. Resolves with the exit code: 0 after a drain, 128 plus the signal's number
 * after an immediate stop, 70 after an internal error. The caller then exits the process, because plugin work that
 * does not stop would keep it alive.
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
    await start(container, shutdown, stack, options, { control, stateDirectory });
    const stopResting = trimHeapWhenIdle();
    stack.defer("rest", async () => stopResting());
    await shutdown.requested;
    await drain(container, shutdown, stack);
    return shutdown.code;
  } catch (thrown) {
    shutdown.cutNow();
    await stack.unwind(failed(log()));
    throw thrown;
  } finally {
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
  const stopMonitor = await monitorHealth({ kit, stateDirectory, control });
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
): Promise<void> {
  const { log, events } = container.resolve(DaemonToken.kit);
  const { program } = container.resolve(DaemonToken.reloader);
  const patience = program?.daemon.drainTimeout ?? 0;
  void container.resolve(DaemonToken.notifier).stopping(patience + LAST_PATIENCE);
  events.emit("daemon.stopping", {});
  const forget = shutdown.cutAfter(patience);
  const control = container.resolve(DaemonToken.control);
  await Promise.race([stack.unwind(failed(log)), lost(shutdown)]);
  control.removeFile();
  forget();
}

const failed = (log: Log | undefined) => (part: string, thrown: unknown) =>
  log?.error("Cannot close a part of the daemon", { part, reason: errorMessage(thrown) });

/** Resolves when parts do not close after the abort. */
async function lost({ cut }: Shutdown): Promise<void> {
  if (!cut.aborted) await new Promise((resolve) => cut.addEventListener("abort", resolve));
  await new Promise((resolve) => setTimeout(resolve, LAST_PATIENCE).unref());
}

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
