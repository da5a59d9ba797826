/** A reloader over real files and real services, with a host that records. */
import { join } from "node:path";
import { Writable } from "node:stream";
import type { ExecutionContext } from "ava";
import type { Clock } from "../../plugin-api/context.js";
import type { DaemonEvent } from "../../services/contract.js";
import { openServices } from "../../services/services.js";
import { pacedClock } from "../../services/testing/paced-clock.js";
import type { StartOutcome } from "../contract.js";
import { createReloader, type ReloaderOptions } from "../reloader.js";
import { directoryWith, EventRecorder } from "./directory.js";
import { RecordingHost } from "./recording-host.js";

/** Settings with which a test does not have to wait long. */
export const QUICK = "daemon {\n  settle = 20ms\n  probation = 0s\n}\n";

export interface TestDirectory {
  readonly directory: string;
  readonly state: string;
}

export const testDirectory = (
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
): TestDirectory => ({
  directory: directoryWith(t, files),
  state: directoryWith(t),
});

/** A daemon that has not been started. */
export async function daemonIn(
  t: ExecutionContext,
  { directory, state }: TestDirectory,
  {
    clock = pacedClock,
    ...options
  }: Pick<ReloaderOptions, "grace"> & { readonly clock?: Clock } = {},
) {
  const host = new RecordingHost();
  const lines: string[] = [];
  const kit = await openServices({
    directories: { state, cache: directoryWith(t), temporary: directoryWith(t) },
    clock,
    logLevel: "info",
    logFormat: "json",
    logStream: new Writable({
      write: (chunk, _encoding, done) => {
        lines.push(String(chunk));
        done();
      },
    }),
  });
  t.teardown(() => kit.close());
  const events = new EventRecorder<DaemonEvent>();
  kit.events.subscribe(events.add);
  const root = join(directory, "main.reeve");
  const reloader = await createReloader({ root, state, kit, host, ...options });
  /** Everything that is open is closed, as at the end of a daemon. */
  const stop = async (): Promise<void> => {
    await reloader.stop();
    await kit.close();
  };
  t.teardown(stop);
  /** The value of `reeve_config_<line>`, labels included. */
  const metric = async (line: string): Promise<number | undefined> => {
    const start = `reeve_config_${line} `;
    const found = (await kit.metrics.text()).split("\n").find((each) => each.startsWith(start));
    return found === undefined ? undefined : Number(found.slice(start.length));
  };
  return { directory, state, host, reloader, kit, events, lines, metric, stop };
}

export type TestDaemon = Awaited<ReturnType<typeof daemonIn>>;

/** A daemon that runs these files; what the start asked of the host is left out of its news. */
export async function running(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
  options: Pick<ReloaderOptions, "grace"> = {},
): Promise<TestDaemon & { readonly outcome: StartOutcome }> {
  const daemon = await daemonIn(t, testDirectory(t, files), options);
  const outcome = await daemon.reloader.start();
  daemon.host.news();
  return { ...daemon, outcome };
}
