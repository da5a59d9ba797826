/** A reloader over real files, with a host that records. */
import { join } from "node:path";
import type { ExecutionContext } from "ava";
import { createReloader, type StartOutcome } from "../reloader.js";
import { directoryWith } from "./directory.js";
import { type Kept, memoryKit } from "./kit.js";
import { RecordingHost } from "./recording-host.js";

/** Settings with which a test does not have to wait long. */
export const QUICK = "daemon {\n  settle = 20ms\n  probation = 0s\n}\n";

export interface Place {
  readonly directory: string;
  readonly state: string;
  readonly kept: Kept;
}

export const placeWith = (t: ExecutionContext, files: Readonly<Record<string, string>>): Place => ({
  directory: directoryWith(t, files),
  state: directoryWith(t),
  kept: new Map(),
});

/** A daemon that has not been started. */
export async function daemonIn(t: ExecutionContext, { directory, state, kept }: Place) {
  const host = new RecordingHost();
  const memory = memoryKit(kept);
  const root = join(directory, "main.reeve");
  const reloader = await createReloader({ root, state, kit: memory.kit, host });
  t.teardown(() => reloader.stop());
  return { directory, state, kept, host, reloader, ...memory };
}

export type TestDaemon = Awaited<ReturnType<typeof daemonIn>>;

/** A daemon that runs these files; what the start asked of the host is left out of its news. */
export async function running(
  t: ExecutionContext,
  files: Readonly<Record<string, string>>,
): Promise<TestDaemon & { readonly outcome: StartOutcome }> {
  const daemon = await daemonIn(t, placeWith(t, files));
  const outcome = await daemon.reloader.start();
  daemon.host.news();
  return { ...daemon, outcome };
}
